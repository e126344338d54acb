//! The recorder: the event form of plumb-jsonl (docs/FORMATS.md).
//!
//! The line of a call is in the file before the operation begins, that of its return is written after it ended, one at a
//! time: their order is an order of real time. A program that is killed leaves operations that are pending.
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// A value of an argument or a result. As a result the string "empty" is that of a remove that found nothing, "full" that of
/// an add that found no room.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Value>),
}

impl From<i64> for Value {
    fn from(i: i64) -> Value {
        Value::Int(i)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Value {
        Value::Text(s.to_string())
    }
}

impl Value {
    fn write(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Int(i) => write!(out, "{i}").expect("a string has room"),
            Value::Text(s) => write_text(s, out),
            Value::List(items) => write_list(items, out),
        }
    }
}

fn write_text(s: &str, out: &mut String) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32).expect("a string has room"),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_list(items: &[Value], out: &mut String) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        item.write(out);
    }
    out.push(']');
}

/// How an operation ended that did not return: `Failed` had no effect, for certain; `Unknown` may have one, now or later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Failed,
    Unknown,
}

struct Lines {
    file: File,
    busy: HashSet<i64>, // clients with an open call
}

/// Writes a history. All threads may use one recorder, or clones of it.
#[derive(Clone)]
pub struct Recorder {
    lines: Arc<Mutex<Lines>>,
    begun: Instant,
}

impl Recorder {
    /// Creates the file.
    pub fn create<P: AsRef<Path>>(path: P, object: Option<&str>) -> io::Result<Recorder> {
        let lines = Lines { file: File::create(path)?, busy: HashSet::new() };
        let recorder = Recorder { lines: Arc::new(Mutex::new(lines)), begun: Instant::now() };
        let mut header = String::from("{\"plumb\":\"history/1\",\"clock\":\"ns\"");
        if let Some(name) = object {
            header.push_str(",\"object\":");
            write_text(name, &mut header);
        }
        header.push_str("}\n");
        recorder.lock().file.write_all(header.as_bytes())?;
        Ok(recorder)
    }

    /// Begins an operation. A client does one operation at a time.
    pub fn call(&self, client: i64, method: &str, args: &[Value]) -> io::Result<Call> {
        self.call_key(client, method, None, args)
    }

    /// The same of an object with keys.
    pub fn call_key(&self, client: i64, method: &str, key: Option<&Value>, args: &[Value]) -> io::Result<Call> {
        let mut what = String::from("\"call\",\"op\":");
        write_text(method, &mut what);
        what.push_str(",\"args\":");
        write_list(args, &mut what);
        if let Some(key) = key {
            what.push_str(",\"key\":");
            key.write(&mut what);
        }
        let mut lines = self.lock();
        if !lines.busy.insert(client) {
            let why = format!("client {client} has an open call; a client does one operation at a time");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let written = self.event(&mut lines, client, &what);
        if let Err(why) = written {
            lines.busy.remove(&client);
            return Err(why);
        }
        drop(lines);
        Ok(Call { recorder: self.clone(), client, open: true })
    }

    /// Runs a function as an operation. An error leaves it pending, unless it turns into `Outcome::Failed`; so does a
    /// panic, which goes on.
    pub fn run<E, F>(&self, client: i64, method: &str, args: &[Value], function: F) -> Result<Value, E>
    where
        F: FnOnce() -> Result<Value, E>,
        for<'a> Outcome: From<&'a E>,
    {
        let call = self.call(client, method, args).expect("the history can be written");
        let result = function();
        let written = match &result {
            Ok(value) => call.returned(value),
            Err(why) => call.ended(Outcome::from(why)),
        };
        written.expect("the history can be written");
        result
    }

    /// Writes what is no operation: a fault, a phase, from an instant on until now.
    pub fn note(&self, text: &str, since: Instant) -> io::Result<()> {
        let mut line = String::from("{\"event\":\"note\",\"text\":");
        write_text(text, &mut line);
        let mut lines = self.lock();
        let begun = since.saturating_duration_since(self.begun).as_nanos();
        writeln!(line, ",\"time\":{},\"until\":{}}}", begun, self.begun.elapsed().as_nanos())
            .expect("a string has room");
        lines.file.write_all(line.as_bytes())
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The time is taken where the line is written, so that times do not go back from line to line.
    fn event(&self, lines: &mut Lines, client: i64, what: &str) -> io::Result<()> {
        let time = self.begun.elapsed().as_nanos();
        let line = format!("{{\"client\":{client},\"event\":{what},\"time\":{time}}}\n");
        lines.file.write_all(line.as_bytes())
    }
}

impl From<&Outcome> for Outcome {
    fn from(outcome: &Outcome) -> Outcome {
        *outcome
    }
}

impl From<&io::Error> for Outcome {
    fn from(_: &io::Error) -> Outcome {
        Outcome::Unknown
    }
}

/// An open operation. One that is dropped, by a panic or `?`, is pending.
pub struct Call {
    recorder: Recorder,
    client: i64,
    open: bool,
}

impl Call {
    /// It ended with this result.
    pub fn returned(mut self, result: &Value) -> io::Result<()> {
        let mut what = String::from("\"return\",\"res\":");
        result.write(&mut what);
        self.end(&what)
    }

    /// It ended without.
    pub fn ended(mut self, outcome: Outcome) -> io::Result<()> {
        self.end(if outcome == Outcome::Failed { "\"fail\"" } else { "\"info\"" })
    }

    fn end(&mut self, what: &str) -> io::Result<()> {
        self.open = false;
        let mut lines = self.recorder.lock();
        lines.busy.remove(&self.client);
        self.recorder.event(&mut lines, self.client, what)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.open {
            let _ = self.end("\"info\""); // what cannot be written is pending as well
        }
    }
}
