//! Verdicts, by the command `plumb`: `$PLUMB`, or the one on the path.
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Linearizable,
    Violation,
    Undecided,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    /// of a violation: numbers of operations, from 0 on, in the order of their calls
    pub core: Vec<u32>,
    /// the operations in the order in which they took effect
    pub witness: Vec<u32>,
    /// as `plumb check` prints it: the verdict, a picture of the core, sentences
    pub explanation: String,
    /// what `plumb check --json` prints (schemas/report-2.schema.json)
    pub json: String,
}

/// Judges a file, or a folder that Jepsen wrote. `arguments`: more of `plumb check`. An error: there is no verdict.
pub fn check<P: AsRef<Path>>(path: P, object: Option<&str>, arguments: &[&str]) -> io::Result<Report> {
    let (code, json) = run(path.as_ref(), object, arguments, &["--json"])?;
    let verdict = match code {
        0 => Verdict::Linearizable,
        1 => Verdict::Violation,
        _ => Verdict::Undecided,
    };
    let (_, explanation) = run(path.as_ref(), object, arguments, &["--color", "never"])?;
    Ok(Report { verdict, core: numbers(&json, "core"), witness: numbers(&json, "witness"), explanation, json })
}

fn run(path: &Path, object: Option<&str>, arguments: &[&str], form: &[&str]) -> io::Result<(i32, String)> {
    let plumb = env::var_os("PLUMB").filter(|name| !name.is_empty()).unwrap_or_else(|| OsString::from("plumb"));
    let mut command = Command::new(plumb);
    command.args(["check", "--quiet"]).args(form).args(arguments);
    if let Some(name) = object {
        command.args(["--object", name]);
    }
    let done = command.arg("--").arg(path).output()?;
    match done.status.code() {
        Some(code @ 0..=2) => Ok((code, String::from_utf8_lossy(&done.stdout).into_owned())),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, String::from_utf8_lossy(&done.stderr).trim().to_string())),
    }
}

/// The list of numbers that is the value of a field. A quote inside a string is escaped, so the name with its quotes is the
/// field's.
fn numbers(json: &str, field: &str) -> Vec<u32> {
    let name = format!("\"{field}\":[");
    let list = json.find(&name).map(|at| &json[at + name.len()..]).and_then(|rest| rest.split(']').next());
    list.unwrap_or("").split(',').filter_map(|n| n.parse().ok()).collect()
}
