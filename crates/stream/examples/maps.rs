//! How long an access takes under the lockset specification with maps: `cargo run --release -p foretrace-stream --example maps`.
use foretrace_stream::engine::{Engine, Sink, Time};
use foretrace_stream::flow::PlannedOutput;
use foretrace_stream::templates::WITH_MAPS;
use foretrace_stream::value::Value;
use foretrace_stream::{Options, compile};
use std::ops::ControlFlow;
use std::time::Instant;

struct Count(u64);

impl Sink for Count {
    fn event(&mut self, _: Time, _: &PlannedOutput, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

fn main() {
    let number = |at: usize, default: u64| std::env::args().nth(at).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (accesses, addresses) = (number(1, 1_000_000), number(2, 4_000));
    let spec = compile("maps", WITH_MAPS, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let input = |name: &str| spec.plan.inputs.iter().position(|input| &*input.name == name);
    let [thread, read, write, lock, unlock, function, line] =
        ["threadid", "readaddr", "writeaddr", "mutexlockaddr", "mutexunlockaddr", "function", "line"]
            .map(|name| input(name).expect("the template has it"));
    let name = Value::str("kernel");
    let (mut engine, mut count) = (Engine::new(spec.plan.clone()), Count(0));
    let mut random = 1u64;
    let began = Instant::now();
    let mut time: Time = 0;
    for step in 0..accesses {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let who = Value::Int((step / 64 % 4) as i64);
        let mut event = |stream: usize, value: Value| {
            time += 1;
            for (stream, value) in
                [(thread, who.clone()), (function, name.clone()), (line, Value::Int(7)), (stream, value)]
            {
                engine.push(time, stream, value, &mut count).expect("time goes on");
            }
        };
        if step % 64 == 0 {
            event(lock, Value::Int(99));
        }
        let address = Value::Int(0x5000_0000 + (random >> 33) as i64 % addresses as i64 * 8);
        event(if random >> 20 & 1 == 0 { read } else { write }, address);
        if step % 64 == 63 {
            event(unlock, Value::Int(99));
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{:.0} ns an access, {} events out", seconds * 1e9 / accesses as f64, count.0);
}
