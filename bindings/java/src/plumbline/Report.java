package plumbline;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What `plumb check` found: the verdict with its evidence. The command is $PLUMB, or plumb on the path. */
public final class Report {
    /** Linearizable, or what another criterion asked for. */
    public enum Verdict { LINEARIZABLE, VIOLATION, UNDECIDED }

    public final Verdict verdict;
    /** Of a violation: numbers of operations, from 0 on, in the order of their calls; empty otherwise. */
    public final List<Integer> core;
    /** The operations in the order in which they took effect; empty when there is none. */
    public final List<Integer> witness;
    /** As `plumb check` prints it: the verdict, a picture of the core, sentences. */
    public final String explanation;
    /** What `plumb check --json` prints: schemas/report-2.schema.json. */
    public final String json;

    private Report(Output judged, String explanation) {
        verdict = Verdict.values()[judged.code];
        json = judged.text;
        core = numbers(json, "core");
        witness = numbers(json, "witness");
        this.explanation = explanation;
    }

    /** Judges a file, or a folder that Jepsen wrote. `arguments`: more of `plumb check`. IOException: there is no verdict. */
    public static Report of(Path path, String object, String... arguments) throws IOException {
        Output judged = run(path, object, arguments, "--json");
        return new Report(judged, run(path, object, arguments, "--color=never").text);
    }

    private static final class Output {
        int code;
        String text;
    }

    private static List<String> command(Path path, String object, String[] arguments, String form) {
        String plumb = System.getenv("PLUMB");
        List<String> words = new ArrayList<>(Arrays.asList(plumb == null || plumb.isEmpty() ? "plumb" : plumb, "check", "--quiet", form));
        if (object != null) words.addAll(Arrays.asList("--object", object));
        words.addAll(Arrays.asList(arguments));
        words.addAll(Arrays.asList("--", path.toString()));
        return words;
    }

    private static Output run(Path path, String object, String[] arguments, String form) throws IOException {
        File talk = File.createTempFile("plumbline", ".txt");
        try {
            Process process = new ProcessBuilder(command(path, object, arguments, form)).redirectError(talk).start();
            Output done = new Output();
            done.text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            done.code = process.waitFor();
            if (done.code > 2) throw new IOException(new String(Files.readAllBytes(talk.toPath()), StandardCharsets.UTF_8).trim());
            return done;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } finally {
            talk.delete();
        }
    }

    // A quote inside a string is escaped, so the name with its quotes is the field's.
    private static List<Integer> numbers(String json, String field) {
        List<Integer> found = new ArrayList<>();
        Matcher list = Pattern.compile("\"" + field + "\":\\[([0-9,]+)\\]").matcher(json);
        if (list.find())
            for (String number : list.group(1).split(",")) found.add(Integer.valueOf(number));
        return found;
    }
}
