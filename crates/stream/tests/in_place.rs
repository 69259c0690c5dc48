//! Sets, maps and lists are updated in place when no one else can see the old value: the bytes that a run allocates
//! grow with the number of events, not with its square. A test of its own, because the count is the whole process's.
use foretrace_stream::engine::Engine;
use foretrace_stream::flow::PlannedOutput;
use foretrace_stream::value::Value;
use foretrace_stream::{Options, compile};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::ops::ControlFlow;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Each keeps a collection with all values of `x` and shows only how large it is.
const SPECS: [(&str, &str); 6] = [
    ("set", "def all = Set.collect(x)\nout Set.size(all) as size"),
    ("map", "def all = Map.collectCount(x)\nout Map.size(all) as size"),
    (
        "list",
        "def all = fold(x, List.empty[Int], (l: List[Int], v: Int) => List.append(l, v))\nout List.size(all) as size",
    ),
    (
        "set with a second look at the past",
        "def all: Events[Set[Int]] = Set.collectWithRemove(x, y)\nout on(x, Set.size(last(all, x))) as size",
    ),
    (
        "set in a recursion by hand",
        "def all: Events[Set[Int]] = default(Set.add(last(all, x), x), Set.empty[Int])\nout Set.size(all) as size",
    ),
    (
        "map of records",
        "type Seen = { n: Int, at: Int }\n\
         def all: Events[Map[Int, Seen]] = default(\n\
           slift3(last(all, x), x, time(x), (m: Map[Int, Seen], v: Int, t: Int) =>\n\
             Map.add(m, v, { n = if Map.contains(m, v) then Map.get(m, v).n + 1 else 1, at = t })),\n\
           Map.empty[Int, Seen])\n\
         out Map.size(all) as size",
    ),
];

struct Last(Option<Value>);

impl foretrace_stream::engine::Sink for Last {
    fn event(&mut self, _: u128, _: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        self.0 = Some(value.clone());
        ControlFlow::Continue(())
    }
}

/// Runs a specification over so many different values; the bytes that were allocated meanwhile.
fn bytes(spec: &str, count: u64) -> u64 {
    let text = format!("in x: Events[Int]\nin y: Events[Int]\n{spec}\n");
    let spec = compile("spec", &text, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let input = spec.plan.inputs.iter().position(|input| &*input.name == "x").expect("it is declared");
    let mut engine = Engine::new(spec.plan);
    let mut last = Last(None);
    let region = Region::new(COUNTED);
    for time in 1..=count {
        engine.push(u128::from(time), input, Value::Int(time as i64), &mut last).expect("time goes on");
    }
    engine.finish(None, &mut last).expect("there are no delays");
    let change = region.change();
    let Some(Value::Int(size)) = last.0 else { panic!("{text}: no size") };
    assert!((count - 1..=count).contains(&(size as u64)), "{text}: {size} of {count}");
    change.bytes_allocated as u64
}

#[test]
fn allocation_is_linear() {
    for (name, spec) in SPECS {
        let (few, many) = (bytes(spec, 2_000), bytes(spec, 16_000));
        // Eight times the events; a copy for each event would be sixty-four times the bytes.
        assert!(many < few * 16, "{name}: {few} bytes for 2,000 events, {many} for 16,000");
        assert!(many < 16_000 * 1_000, "{name}: {many} bytes for 16,000 events");
    }
}
