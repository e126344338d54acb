use plumbline::{check, Outcome, Recorder, Value, Verdict};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs, io, panic, thread};

fn scratch(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("plumbline-rust-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn events(path: &PathBuf) -> String {
    let text = fs::read_to_string(path).unwrap();
    let kind = |line: &str| line.split("\"event\":\"").nth(1).map(|rest| rest.split('"').next().unwrap().to_string());
    text.lines().filter_map(kind).collect::<Vec<_>>().join(" ")
}

#[test]
fn errors_and_panics_are_pending_and_failures_are_none() {
    let path = scratch("errors.events.jsonl");
    let r = Recorder::create(&path, Some("queue")).unwrap();
    let timed_out = || Err::<Value, io::Error>(io::Error::from(io::ErrorKind::TimedOut));
    assert!(r.run(1, "enq", &[Value::Int(1)], timed_out).is_err());
    assert!(r.run(1, "enq", &[Value::Int(2)], || Err(Outcome::Failed)).is_err());
    panic::set_hook(Box::new(|_| {}));
    let panics = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let _ = r.run(1, "enq", &[Value::Int(3)], || -> Result<Value, Outcome> { panic!("boom") });
    }));
    assert!(panics.is_err());
    assert_eq!(r.run(1, "deq", &[], || Ok::<_, Outcome>(Value::Int(1))), Ok(Value::Int(1)));
    r.note("kill \"n1\"\n", Instant::now()).unwrap();
    assert_eq!(events(&path), "call info call fail call info call return note");
    let found = check(&path, None, &[]).unwrap();
    assert_eq!(found.verdict, Verdict::Linearizable);
    assert!(found.json.contains("\"pending\":2"), "{}", found.json);
}

#[test]
fn a_client_does_one_operation_at_a_time() {
    let path = scratch("misuse.events.jsonl");
    let r = Recorder::create(&path, None).unwrap();
    let call = r.call(1, "deq", &[]).unwrap();
    assert!(r.call(1, "deq", &[]).is_err());
    call.returned(&Value::from("empty")).unwrap();
    drop(r.call_key(1, "put", Some(&Value::from("k")), &[Value::List(vec![Value::Null, Value::Bool(true)])]).unwrap());
    assert_eq!(events(&path), "call return call info");
}

#[test]
fn violations_have_a_core_and_are_explained() {
    let path = scratch("wrong.events.jsonl");
    let r = Recorder::create(&path, Some("queue")).unwrap();
    for v in 1..=2 {
        r.run(v, "enq", &[Value::Int(v)], || Ok::<_, Outcome>(Value::Null)).unwrap();
    }
    r.run(1, "deq", &[], || Ok::<_, Outcome>(Value::Int(2))).unwrap();
    let found = check(&path, None, &[]).unwrap();
    assert_eq!((found.verdict, found.core), (Verdict::Violation, vec![0, 1, 2]));
    assert!(found.explanation.contains("comes before #0 enq(1)"), "{}", found.explanation);
}

#[test]
fn no_verdict_is_an_error_and_nothing_is_undecided() {
    let why = check("/no/such/file", None, &[]).unwrap_err().to_string();
    assert!(why.contains("/no/such/file"), "{why}");
    let path = scratch("nothing.events.jsonl");
    Recorder::create(&path, Some("queue")).unwrap();
    assert_eq!(check(&path, None, &[]).unwrap().verdict, Verdict::Undecided);
}

#[test]
fn threads() {
    let path = scratch("threads.events.jsonl");
    let r = Recorder::create(&path, Some("queue")).unwrap();
    let shared = Mutex::new(VecDeque::new());
    thread::scope(|scope| {
        for client in 0..4 {
            let (r, shared) = (&r, &shared);
            scope.spawn(move || {
                for v in client * 1000..client * 1000 + 100 {
                    let enq = || {
                        shared.lock().unwrap().push_back(v);
                        Ok::<_, Outcome>(Value::Null)
                    };
                    r.run(client, "enq", &[Value::Int(v)], enq).unwrap();
                    let deq = || Ok::<_, Outcome>(shared.lock().unwrap().pop_front().map_or("empty".into(), Value::Int));
                    r.run(client, "deq", &[], deq).unwrap();
                }
            });
        }
    });
    let found = check(&path, None, &[]).unwrap();
    assert_eq!((found.verdict, found.witness.len()), (Verdict::Linearizable, 800));
}
