package plumbline;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Writes the event form of plumb-jsonl (docs/FORMATS.md). The line of a call is in the file before the operation begins, that
 * of its return is written after it ended, one at a time: their order is an order of real time. A program that is killed
 * leaves operations that are pending. All threads may use one recorder.
 *
 * <pre>
 * try (Recorder recorder = new Recorder(path, "queue")) {
 *     recorder.run(1, "enq", () -&gt; { queue.add(7); return null; }, 7);
 *     Object got = recorder.run(1, "deq", () -&gt; queue.remove());
 * }
 * </pre>
 */
public final class Recorder implements Closeable {
    /** Results of containers: a remove that found nothing, an add that found no room. */
    public static final String EMPTY = "empty", FULL = "full";

    /** Thrown by an operation that certainly had no effect. */
    public static class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Failed(String why) {
            super(why);
        }
    }

    private final Path path;
    private final OutputStream file;
    private final Set<Object> busy = new HashSet<>(); // clients with an open call
    private final long begun = System.nanoTime();

    /** Creates the file. The object may be null. */
    public Recorder(Path path, String object) throws IOException {
        this.path = path;
        file = new FileOutputStream(path.toFile()); // not buffered: a line is in the file when write() is over
        StringBuilder header = new StringBuilder("{\"plumb\":\"history/1\",\"clock\":\"ns\"");
        if (object != null) {
            header.append(",\"object\":");
            writeText(object, header);
        }
        write(header.append('}'));
    }

    public Path path() {
        return path;
    }

    /** Operations that are open stay pending. */
    @Override
    public synchronized void close() throws IOException {
        file.close();
    }

    /** An open operation: it ends by exactly one of its methods. Closed before, it is pending. */
    public final class Call implements AutoCloseable {
        private final Object client;
        private boolean open = true;

        private Call(Object client) {
            this.client = client;
        }

        /** It ended. A result that cannot be said leaves it pending, and throws. */
        public void returned(Object result) throws IOException {
            StringBuilder what = new StringBuilder("\"return\",\"res\":");
            try {
                writeValue(result, what);
            } catch (IllegalArgumentException wrong) {
                unknown();
                throw wrong;
            }
            end(what);
        }

        /** It certainly had no effect. */
        public void failed() throws IOException {
            end("\"fail\"");
        }

        /** It may have an effect, now or later. The client goes on afresh. */
        public void unknown() throws IOException {
            end("\"info\"");
        }

        @Override
        public void close() throws IOException {
            synchronized (Recorder.this) {
                if (open) unknown();
            }
        }

        private void end(CharSequence what) throws IOException {
            synchronized (Recorder.this) {
                if (!open) throw new IllegalStateException("the operation has ended already");
                open = false;
                busy.remove(client);
                event(client, what);
            }
        }
    }

    /** Begins an operation. A client, a number or a string, does one operation at a time. */
    public Call call(Object client, String method, Object... args) throws IOException {
        return callKey(client, method, null, args);
    }

    /** The same of an object with keys. */
    public synchronized Call callKey(Object client, String method, Object key, Object... args) throws IOException {
        if (busy.contains(client))
            throw new IllegalStateException("client " + client + " has an open call; a client does one operation at a time");
        StringBuilder what = new StringBuilder("\"call\",\"op\":");
        writeText(method, what);
        what.append(",\"args\":");
        writeValue(java.util.Arrays.asList(args), what);
        if (key != null) {
            what.append(",\"key\":");
            writeValue(key, what);
        }
        event(client, what);
        busy.add(client);
        return new Call(client);
    }

    /** Runs an operation. Whatever it throws but Failed leaves it pending, and is thrown on. */
    public <T> T run(Object client, String method, Callable<T> operation, Object... args) throws Exception {
        try (Call call = call(client, method, args)) {
            T result;
            try {
                result = operation.call();
            } catch (Failed failed) {
                call.failed();
                throw failed;
            }
            call.returned(result);
            return result;
        }
    }

    /** The clock of the history, for note(). */
    public long now() {
        return System.nanoTime() - begun;
    }

    /** Writes what is no operation: a fault, a phase, from a time of now() on until now. */
    public synchronized void note(String text, long since) throws IOException {
        StringBuilder line = new StringBuilder("{\"event\":\"note\",\"text\":");
        writeText(text, line);
        write(line.append(",\"time\":").append(since).append(",\"until\":").append(now()).append('}'));
    }

    // The time is taken where the line is written, so that times do not go back from line to line.
    private void event(Object client, CharSequence what) throws IOException {
        StringBuilder line = new StringBuilder("{\"client\":");
        writeValue(client, line);
        write(line.append(",\"event\":").append(what).append(",\"time\":").append(now()).append('}'));
    }

    private void write(StringBuilder line) throws IOException {
        file.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void writeValue(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean || isInteger(value)) out.append(value);
        else if (value instanceof String || value instanceof Character) writeText(value.toString(), out);
        else if (value instanceof Iterable) writeList((Iterable<?>) value, out);
        else if (value instanceof Map) writeMap((Map<?, ?>) value, out);
        else throw new IllegalArgumentException("a history has no value such as " + value.getClass().getName());
    }

    private static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
            || value instanceof java.math.BigInteger;
    }

    private static void writeList(Iterable<?> items, StringBuilder out) {
        String before = "[";
        for (Object item : items) {
            out.append(before);
            writeValue(item, out);
            before = ",";
        }
        out.append(before.equals("[") ? "[]" : "]");
    }

    private static void writeMap(Map<?, ?> map, StringBuilder out) {
        String before = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(before);
            writeText(String.valueOf(entry.getKey()), out);
            out.append(':');
            writeValue(entry.getValue(), out);
            before = ",";
        }
        out.append(before.equals("{") ? "{}" : "}");
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }
}
