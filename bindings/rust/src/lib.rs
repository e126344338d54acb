//! Records concurrent operations, and tells by the command `plumb` whether they are linearizable.
//!
//! ```no_run
//! use plumbline::{check, Recorder, Value, Verdict};
//! let recorder = Recorder::create("queue.events.jsonl", Some("queue"))?;
//! recorder.run(1, "enq", &[Value::Int(7)], || Ok::<_, plumbline::Outcome>(Value::Null)).ok();
//! let found = check("queue.events.jsonl", Some("queue"), &[])?;
//! assert_eq!(found.verdict, Verdict::Linearizable);
//! # Ok::<(), std::io::Error>(())
//! ```
mod check;
mod record;

pub use check::{check, Report, Verdict};
pub use record::{Call, Outcome, Recorder, Value};
