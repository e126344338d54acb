package plumbline;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class PlumblineTest {
    @Rule public TemporaryFolder folder = new TemporaryFolder();
    private Path path;

    @Before
    public void name() {
        path = folder.getRoot().toPath().resolve("h.events.jsonl");
    }

    private String events() throws IOException {
        List<String> kinds = new ArrayList<>();
        for (String line : Files.readAllLines(path))
            if (line.contains("\"event\":\"")) kinds.add(line.replaceAll(".*\"event\":\"([a-z]*)\".*", "$1"));
        return String.join(" ", kinds);
    }

    @Test
    public void exceptionsArePendingAndFailuresAreNone() throws Exception {
        try (Recorder r = new Recorder(path, "queue")) {
            assertThrows(IOException.class, () -> r.run(1, "enq", () -> { throw new IOException("timed out"); }, 1));
            assertThrows(Recorder.Failed.class, () -> r.run(1, "enq", () -> { throw new Recorder.Failed("refused"); }, 2));
            assertThrows(StackOverflowError.class, () -> r.run(1, "enq", () -> { throw new StackOverflowError(); }, 3));
            assertEquals(Integer.valueOf(1), r.run(1, "deq", () -> 1));
            r.note("kill \"n1\"\n", r.now());
        }
        assertEquals("call info call fail call info call return note", events());
        Report found = Report.of(path, null);
        assertEquals(Report.Verdict.LINEARIZABLE, found.verdict);
        assertTrue(found.json, found.json.contains("\"pending\":2"));
    }

    @Test
    public void misuse() throws Exception {
        Recorder r = new Recorder(path, null);
        Recorder.Call call = r.call("a", "deq");
        assertThrows(IllegalStateException.class, () -> r.call("a", "deq"));
        assertThrows(IllegalArgumentException.class, () -> call.returned(new Object()));
        assertThrows(IllegalStateException.class, () -> call.returned(1));
        assertThrows(IllegalArgumentException.class, () -> r.call("a", "enq", 1.5));
        r.callKey("a", "put", "k", Arrays.asList(1, "x", null, true, Collections.singletonMap("m", 2))).close();
        r.close();
        assertThrows(IOException.class, () -> r.call("b", "deq"));
        assertEquals("call info call info", events());
    }

    @Test
    public void violationsHaveACore() throws Exception {
        try (Recorder r = new Recorder(path, "queue")) {
            r.run(1, "enq", () -> null, 1);
            r.run(2, "enq", () -> null, 2);
            r.run(1, "deq", () -> 2);
        }
        Report found = Report.of(path, null);
        assertEquals(Report.Verdict.VIOLATION, found.verdict);
        assertEquals(Arrays.asList(0, 1, 2), found.core);
        assertTrue(found.explanation, found.explanation.contains("comes before #0 enq(1)"));
    }

    @Test
    public void noVerdict() throws Exception {
        IOException why = assertThrows(IOException.class, () -> Report.of(Paths.get("/no/such/file"), null));
        assertTrue(why.getMessage(), why.getMessage().contains("/no/such/file"));
        new Recorder(path, "queue").close();
        assertEquals(Report.Verdict.UNDECIDED, Report.of(path, null).verdict);
    }

    @Test
    public void threads() throws Exception {
        Queue<Integer> shared = new ConcurrentLinkedQueue<>();
        List<Thread> all = new ArrayList<>();
        try (Recorder r = new Recorder(path, "queue")) {
            for (int client = 0; client < 4; client++) {
                int first = client * 1000;
                all.add(new Thread(() -> work(r, shared, first)));
            }
            for (Thread thread : all) thread.start();
            for (Thread thread : all) thread.join();
        }
        Report found = Report.of(path, null);
        assertEquals(Report.Verdict.LINEARIZABLE, found.verdict);
        assertEquals(800, found.witness.size());
    }

    private static void work(Recorder r, Queue<Integer> shared, int first) {
        try {
            for (int i = first; i < first + 100; i++) {
                int value = i;
                r.run(first, "enq", () -> { shared.add(value); return null; }, value);
                r.run(first, "deq", () -> { Integer got = shared.poll(); return got == null ? Recorder.EMPTY : got; });
            }
        } catch (Exception wrong) {
            throw new AssertionError(wrong);
        }
    }
}
