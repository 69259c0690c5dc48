//! Random specifications on random events: the engine must say what the definitions say.
use foretrace_event::Random;
use foretrace_stream::engine::{Engine, Sink, Time};
use foretrace_stream::flow::PlannedOutput;
use foretrace_stream::naive::{self, Inputs};
use foretrace_stream::value::Value;
use foretrace_stream::{Options, compile};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

/// Random choices, the same in every run.
struct Dice(Random);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn pick<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.below(options.len() as u64) as usize]
    }
}

/// Macros that the specifications use, most of them generic and without a result type.
const MACROS: &str = "\
def m = merge2
def twice[A](s: Events[A]) = (s, prev(s))
def span[A, B](s: Events[A], trigger: Events[B]) = { before = last(s, trigger), now = on(trigger, s) }
def pick[A](c: Events[Bool], yes: Events[A], no: Events[A]) = if c then yes else no
def orElse[A](option: Option[A], other: A) = if isSome(option) then getSome(option) else other
def positive(n: Int) = if n > 0 then Some(n) else None[Int]
def upTo(n: Int): List[Int] = if n <= 0 then List.empty[Int] else List.append(upTo(n - 1), n)
def compose(f: (Int) => Int, g: (Int) => Int): (Int, Int) => Int = (p: Int, q: Int) => f(g(p)) - g(f(q))
";

/// Writes specifications whose every part has the right type.
struct Author {
    dice: Dice,
    ints: Vec<String>,
    bools: Vec<String>,
    units: Vec<String>,
    sets: Vec<String>,
}

impl Author {
    fn new(seed: u64) -> Author {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let dice = Dice(Random::new(seed));
        Author { dice, ints: own(&["a", "b"]), bools: own(&["c"]), units: own(&["u"]), sets: own(&["Set.collect(a)"]) }
    }

    fn known(&mut self, kind: fn(&Author) -> &Vec<String>) -> String {
        let count = kind(self).len() as u64;
        let at = self.dice.below(count) as usize;
        kind(self)[at].clone()
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 {
            return if self.dice.below(4) == 0 { self.dice.below(5).to_string() } else { self.known(|a| &a.ints) };
        }
        let d = depth - 1;
        match self.dice.below(36) {
            0..=2 => format!("({} {} {})", self.int(d), self.dice.pick(&["+", "-", "*", "/", "%"]), self.int(d)),
            3 => format!("(if {} then {} else {})", self.bool(d), self.int(d), self.int(d)),
            4 => format!("default({}, {})", self.int_stream(d), self.dice.below(4)),
            5 => format!("defaultFrom({}, {})", self.int_stream(d), self.int_stream(d)),
            6 => format!("last({}, {})", self.int_stream(d), self.any(d)),
            7 => format!("merge({}, {})", self.int_stream(d), self.int_stream(d)),
            8 => format!("time({})", self.any(d)),
            9 => format!("on({}, {})", self.any(d), self.int_stream(d)),
            10 => format!("filter({}, {})", self.int_stream(d), self.bool(d)),
            11 => format!("count({})", self.any(d)),
            12 => format!("sum({})", self.int_stream(d)),
            13 => format!("prev({})", self.int_stream(d)),
            14 => format!("Set.size({})", self.set(d)),
            15 => format!("resetCount({}, {})", self.any(d), self.any(d)),
            16 => format!(
                "lift({}, {}, (x: Option[Int], y: Option[Int]) => if isSome(x) && isSome(y) then Some(getSome(x) - getSome(y)) else if isSome(y) then y else None[Int])",
                self.int_stream(d),
                self.int_stream(d)
            ),
            17 => format!("pure({})", self.int_stream(d)),
            18 => format!("maximum({})", self.int_stream(d)),
            // Records and tuples, of values and of streams.
            19 => format!(
                "slift2({}, {}, (p: Int, q: Int) => {{ low = min(p, q), high = max(p, q) }}).{}",
                self.int_stream(d),
                self.int_stream(d),
                self.dice.pick(&["low", "high"])
            ),
            20 => format!("twice({}).{}", self.int_stream(d), self.dice.pick(&["_1", "_2"])),
            21 => format!("span({}, {}).{}", self.int_stream(d), self.any(d), self.dice.pick(&["before", "now"])),
            // Options.
            22 => format!(
                "lift({}, {}, (x: Option[Int], y: Option[Int]) => Option.map2(x, y, (p: Int, q: Int) => orElse(positive(p), q)))",
                self.int_stream(d),
                self.int_stream(d)
            ),
            23 => format!("slift1({}, (v: Int) => orElse(positive(v), -1))", self.int_stream(d)),
            // Generic macros, at several types.
            24 => format!("pick({}, {}, {})", self.bool(d), self.int_stream(d), self.int_stream(d)),
            25 => format!("m({}, {})", self.int_stream(d), self.int_stream(d)),
            // Closures: recursive ones, ones that call each other, and ones that are passed on.
            26 => format!(
                "slift2({}, {}, (p: Int, q: Int) => {{ def f(n: Int): Int = if n <= 0 then q else p + f(n - 1)\n f(p % 5) }})",
                self.int_stream(d),
                self.int_stream(d)
            ),
            27 => format!(
                "slift2({}, {}, (p: Int, q: Int) => {{\n def even(n: Int): Int = if n <= 0 then p else odd(n - 1)\n\
                 def odd(n: Int): Int = if n <= 0 then q else even(n - 1)\n even(p % 6) }})",
                self.int_stream(d),
                self.int_stream(d)
            ),
            28 => format!(
                "slift1({}, (p: Int) => List.fold(List.map(upTo(p % 5), (n: Int) => n * p), 0, (a: Int, b: Int) => a + b / (p - 1)))",
                self.int_stream(d)
            ),
            29 => format!(
                "slift2({}, {}, compose((n: Int) => n + 1, (n: Int) => n * 2))",
                self.int_stream(d),
                self.int_stream(d)
            ),
            30 => format!(
                "slift1({}, (p: Int) => {{ def add = (q: Int) => (r: Int) => p + q - r\n add(2)(p) + add(p)(1) }})",
                self.int_stream(d)
            ),
            // The past of streams at the events of one that the function needs, and of one that it does not.
            31 | 32 => self.of_the_past(d),
            33 => format!(
                "lift(last({}, {}), {}, (p: Option[Int], q: Option[Int]) => if isNone(p) then None[Int] else Some(getSome(p) / orElse(q, 2)))",
                self.int_stream(d),
                self.any(d),
                self.int_stream(d)
            ),
            34 => format!("on({}, s)", self.any(d)),
            _ => format!("fold({}, 1, (x: Int, y: Int) => if y == 0 then x else x + y / (x - y))", self.int_stream(d)),
        }
    }

    /// A function of several pasts at the events of a stream.
    fn of_the_past(&mut self, depth: u32) -> String {
        let trigger = self.known(|a| &a.ints);
        let needed = self.dice.pick(&["isNone(t)", "isNone(t) || isNone(p)", "isNone(t) || isNone(r)", "isNone(p)"]);
        format!(
            "lift4(last({}, {trigger}), {trigger}, last({}, {}), {}, (p: Option[Int], t: Option[Int], q: Option[Int], r: Option[Int]) => \
             if {needed} then None[Int] else Some(orElse(p, 3) - orElse(q, 5) / orElse(r, 1)))",
            self.int_stream(depth),
            self.int_stream(depth),
            if self.dice.below(3) == 0 { self.known(|a| &a.ints) } else { trigger.clone() },
            self.int_stream(depth),
        )
    }

    fn int_stream(&mut self, depth: u32) -> String {
        match self.dice.below(3) {
            0 => self.known(|a| &a.ints),
            _ => format!("({} + {})", self.known(|a| &a.ints), self.int(depth)),
        }
    }

    fn bool(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.known(|a| &a.bools);
        }
        let d = depth - 1;
        match self.dice.below(8) {
            0..=2 => {
                format!("({} {} {})", self.int_stream(d), self.dice.pick(&["<", "<=", "==", "!=", ">"]), self.int(d))
            }
            3 => format!("({} {} {})", self.bool(d), self.dice.pick(&["&&", "||", "==", "!="]), self.bool(d)),
            4 => format!("!{}", self.bool(d)),
            5 => format!("defined({})", self.any(d)),
            6 => format!("Set.contains({}, {})", self.set(d), self.int(d)),
            _ => format!("merge({}, {})", self.bool(d), self.bool(d)),
        }
    }

    fn unit(&mut self, depth: u32) -> String {
        let d = depth.saturating_sub(1);
        match self.dice.below(6) {
            0 => format!("mergeUnit({}, {})", self.any(d), self.any(d)),
            1 => format!("unitIf({})", self.bool(d)),
            2 => format!("delay(const({}, {}), {})", self.dice.below(5) + 1, self.any(d), self.any(d)),
            3 => format!("period({})", self.dice.below(7) + 2),
            _ => self.known(|a| &a.units),
        }
    }

    fn set(&mut self, depth: u32) -> String {
        let d = depth.saturating_sub(1);
        match self.dice.below(5) {
            0 => format!("Set.collectWithRemove({}, {})", self.int_stream(d), self.int_stream(d)),
            1 => format!("Set.union({}, {})", self.known(|a| &a.sets), self.known(|a| &a.sets)),
            2 => format!("Set.add({}, {})", self.known(|a| &a.sets), self.int(d)),
            3 => format!("last({}, {})", self.known(|a| &a.sets), self.any(d)),
            _ => self.known(|a| &a.sets),
        }
    }

    fn any(&mut self, depth: u32) -> String {
        match self.dice.below(4) {
            0 => self.bool(depth.min(1)),
            1 => self.unit(depth.min(1)),
            _ => self.int_stream(depth.min(1)),
        }
    }

    fn spec(&mut self) -> String {
        let mut text = format!(
            "in a: Events[Int]\nin b: Events[Int]\nin c: Events[Bool]\nin u: Events[Unit]\nin s: Events[Int]\n{MACROS}"
        );
        for index in 0..2 + self.dice.below(6) {
            let name = format!("d{index}");
            let (definition, kind): (String, usize) = match self.dice.below(9) {
                0..=2 => (format!("def {name}: Events[Int] = {}", self.int(3)), 0),
                3 => {
                    let trigger = self.any(2);
                    (format!("def {name}: Events[Int] = default(last({name}, {trigger}) + {}, 0)", self.int(2)), 0)
                }
                4 => {
                    let trigger = self.any(2);
                    (
                        format!(
                            "def {name}: Events[Set[Int]] = default(Set.add(last({name}, {trigger}), {}), Set.empty[Int])",
                            self.int(1)
                        ),
                        3,
                    )
                }
                5 => (format!("def {name}: Events[Bool] = {}", self.bool(3)), 1),
                6 => (format!("def {name}: Events[Unit] = {}", self.unit(2)), 2),
                7 => (
                    format!(
                        "def {name}: Events[Unit] = delay(merge(const({}, {name}), {}), {})",
                        self.dice.below(4) + 1,
                        format_args!("const(2, {})", self.any(1)),
                        self.any(1)
                    ),
                    2,
                ),
                _ => (format!("def {name}: Events[Set[Int]] = {}", self.set(2)), 3),
            };
            writeln!(text, "{definition}").expect("a string takes any text");
            [&mut self.ints, &mut self.bools, &mut self.units, &mut self.sets][kind].push(name.clone());
            writeln!(text, "out {name}").expect("a string takes any text");
        }
        text
    }

    fn events(&mut self) -> Inputs {
        let mut inputs: Inputs = vec![BTreeMap::new(); 5];
        for _ in 0..self.dice.below(40) {
            let time = Time::from(self.dice.below(30));
            let number = self.dice.below(5) as i64 - 1;
            let flip = self.dice.below(2) == 0;
            let input = self.dice.below(5) as usize;
            let number = Value::Int(if input == 1 { number + 1 } else { number });
            let value = [number.clone(), number.clone(), Value::Bool(flip), Value::Unit, number][input].clone();
            inputs[input].insert(time, value);
        }
        inputs
    }
}

/// The input that only `on` looks at.
const SAMPLED: usize = 4;

#[derive(Default)]
struct Collect {
    events: Vec<(Time, String, Value)>,
    /// The values of an input that is deferred, by number.
    deferred: Vec<Value>,
}

impl Sink for Collect {
    fn event(&mut self, time: Time, output: &PlannedOutput, value: &Value) -> ControlFlow<()> {
        self.events.push((time, output.name.to_string(), value.clone()));
        ControlFlow::Continue(())
    }

    fn recover(&mut self, tag: u64, input: usize) -> Value {
        assert_eq!(input, SAMPLED);
        self.deferred[tag as usize].clone()
    }
}

/// Errors are compared by whether the event is certain, not by their text.
fn shown(value: &Value) -> String {
    match value {
        Value::Error(failure) => format!("error, unknown: {}", failure.unknown),
        value => value.to_string(),
    }
}

/// Runs the engine, with the values of one input when they are needed or right away.
fn run_engine(spec: &foretrace_stream::Spec, inputs: &Inputs, deferred: bool) -> Vec<(Time, String, String)> {
    let mut events: Vec<(Time, usize, Value)> = Vec::new();
    for (input, stream) in inputs.iter().enumerate() {
        events.extend(stream.iter().map(|(time, value)| (*time, input, value.clone())));
    }
    events.sort_by_key(|(time, input, _)| (*time, *input));
    let mut engine = Engine::new(spec.plan.clone());
    let mut out = Collect::default();
    if deferred {
        engine.set_deferred(&[SAMPLED]);
    }
    for (time, input, value) in events {
        let taken = if deferred && input == SAMPLED {
            out.deferred.push(value);
            engine.defer(time, out.deferred.len() as u64 - 1, &mut out)
        } else {
            engine.push(time, input, value, &mut out)
        };
        taken.expect("random delays are positive");
    }
    engine.recover(&mut out);
    engine.finish(None, &mut out).expect("random delays are positive");
    out.events.into_iter().map(|(time, name, value)| (time, name, shown(&value))).collect()
}

#[test]
fn the_engine_agrees_with_the_definitions() {
    let count = std::env::var("FORETRACE_RANDOM")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(if cfg!(debug_assertions) { 200 } else { 5_000 });
    let (mut deferred, mut of_the_past) = (0, 0);
    for seed in 1..=count {
        let mut author = Author::new(seed);
        let text = author.spec();
        let spec =
            compile("random", &text, &Options::default()).unwrap_or_else(|e| panic!("seed {seed}:\n{text}\n{e}"));
        let sampled = spec.plan.only_sampled[SAMPLED];
        deferred += u64::from(sampled);
        of_the_past += u64::from(spec.plan.looked_through.contains(&true));
        for _ in 0..2 {
            let inputs = author.events();
            let expected: Vec<(Time, String, String)> = naive::evaluate(&spec.graph, &inputs)
                .into_iter()
                .map(|(time, index, value)| (time, spec.graph.outputs[index].name.to_string(), shown(&value)))
                .collect();
            for late in [false, sampled] {
                let found = run_engine(&spec, &inputs, late);
                let wrong = (0..expected.len().max(found.len())).find(|at| expected.get(*at) != found.get(*at));
                if let Some(at) = wrong {
                    let (expected, found) = (expected.get(at), found.get(at));
                    panic!("seed {seed}:\n{text}\n{inputs:?}\nexpected {expected:?}\nfound    {found:?}");
                }
            }
        }
    }
    assert!(deferred * 20 > count && of_the_past * 20 > count, "{deferred} deferred, {of_the_past} of the past");
}
