//! Feeds the workload of `cargo xtask bench stream` to the RTLola interpreter and prints the seconds it took.
//!
//! The specification is the lockset algorithm for three threads, one lock and one variable, without sets, because the
//! language has none. With `fixed` as the second argument, threads and lock are written into it. The workload is that
//! of the benchmark: threads take turns to lock, read, write and unlock.
use rtlola_interpreter::ConfigBuilder;
use rtlola_interpreter::Value;
use rtlola_interpreter::input::ArrayFactory;
use rtlola_interpreter::monitor::{Incremental, Monitor};
use rtlola_interpreter::time::RelativeFloat;
use std::convert::Infallible;
use std::time::{Duration, Instant};

const INPUTS: usize = 7;

fn main() {
    let events: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).expect("the number of events");
    let fixed = std::env::args().nth(2).is_some_and(|word| word == "fixed");
    let spec = if fixed { include_str!("../lockset_fixed.lola") } else { include_str!("../lockset.lola") };
    let mut monitor: Monitor<ArrayFactory<INPUTS, Infallible, [Value; INPUTS]>, _, Incremental, _> = ConfigBuilder::new()
        .spec_str(spec)
        .offline::<RelativeFloat>()
        .with_array_events::<INPUTS, Infallible, [Value; INPUTS]>()
        .with_verdict::<Incremental>()
        .monitor()
        .expect("the specification is right");
    let begin = Instant::now();
    let mut outputs = 0usize;
    for step in 0..events / 4 {
        let verdict = monitor.accept_event(row(step), Duration::from_nanos(step + 1)).expect("the events are right");
        outputs += verdict.event.len();
    }
    println!("{} {outputs}", begin.elapsed().as_secs_f64());
}

/// One timestamp: the thread, its place, and its operation.
fn row(step: u64) -> [Value; INPUTS] {
    let name = |text: &str| Value::Str(text.into());
    let mut row = [Value::None, Value::None, Value::None, Value::None, Value::None, Value::None, Value::None];
    row[0] = Value::Unsigned(100 + step / 4 % 3);
    row[1] = name("f");
    row[2] = Value::Unsigned(10 + step % 4);
    match step % 4 {
        0 => row[3] = Value::Unsigned(6_308_096),
        1 => row[5] = name("x"),
        2 => row[6] = name("x"),
        _ => row[4] = Value::Unsigned(6_308_096),
    }
    row
}
