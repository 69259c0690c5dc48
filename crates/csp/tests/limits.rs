//! Scripts without end come to an end, with the reason.

use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};
use std::time::Duration;

fn verdicts(text: &str, budget: &Budget) -> Vec<String> {
    let script = Script::load("limits.csp", text, Vec::new()).unwrap_or_else(|e| panic!("{e}"));
    let say = |verdict| match verdict {
        Verdict::Unknown(why) => why,
        Verdict::Error(d) => d.message,
        other => format!("{other:?}"),
    };
    script.assertions().iter().map(|a| say(script.check(a, budget, &|_| {}).verdict)).collect()
}

const COUNTER: &str = "channel up : {0,1}\nP(n) = up.n % 2 -> P(n+1)\nassert P(0) :[deadlock free]\n";
const WIDE: &str = "channel t : {0..8}.{0..49}
C(i, n) = t.i.n -> C(i, (n+1) % 50)
ALL = ||| i : {0..8} @ C(i, 0)
assert RUN({|t|}) [T= ALL
";

#[test]
fn every_limit_ends_the_search_and_names_itself() {
    with_stack(|| {
        let states = Budget { max_states: 5_000, ..Budget::default() };
        assert!(verdicts(COUNTER, &states)[0].contains("--max-states"));
        assert!(verdicts(WIDE, &states)[0].contains("--max-states"));
        let memory = Budget { max_memory: 1 << 20, ..Budget::default() };
        assert!(verdicts(COUNTER, &memory)[0].contains("--max-memory"));
        assert!(verdicts(WIDE, &memory)[0].contains("--max-memory"));
        let time = Budget { timeout: Some(Duration::from_millis(300)), ..Budget::default() };
        assert!(verdicts(COUNTER, &time)[0].contains("--timeout"));
        assert!(verdicts(WIDE, &time)[0].contains("--timeout"));
    });
}

#[test]
fn the_same_answer_on_any_number_of_threads() {
    let text = "channel t : {0..3}.{0..8}
C(i, n) = t.i.n -> C(i, (n+1) % 9)
ALL = ||| i : {0..3} @ C(i, 0)
LESS(n) = n < 7 & t?x -> LESS(n+1)
assert LESS(0) [T= ALL
";
    with_stack(|| {
        let one = verdicts(text, &Budget { threads: 1, ..Budget::default() });
        for threads in [2, 3, 8] {
            assert_eq!(one, verdicts(text, &Budget { threads, ..Budget::default() }));
        }
    });
}

/// Many silent loops, one of which is shown.
const LOOPS: &str = "channel t : {0..2}.{0..8}
C(i, n) = t.i.n -> C(i, (n+1) % 9)
ALL = ||| i : {0..2} @ C(i, 0)
assert ALL \\ {| t.1 |} :[divergence free]
";

#[test]
fn the_same_divergence_on_any_number_of_threads() {
    with_stack(|| {
        let one = verdicts(LOOPS, &Budget { threads: 1, ..Budget::default() });
        assert!(one[0].contains("divergence"), "{one:?}");
        for threads in [2, 3, 8] {
            assert_eq!(one, verdicts(LOOPS, &Budget { threads, ..Budget::default() }));
        }
    });
}

/// A counterexample lists the parts of a compressed component with the events that were hidden inside it.
#[test]
fn a_counterexample_looks_through_compressions() {
    let text = "transparent sbisim, diamond, normal
channel a, b, mid
LEFT = a -> mid -> LEFT
RIGHT = mid -> b -> RIGHT
INSIDE = (LEFT [| {mid} |] RIGHT) \\ {mid}
assert a -> STOP [T= sbisim(INSIDE) ||| STOP
assert a -> STOP [T= diamond(INSIDE) ||| STOP
assert a -> STOP [T= normal(INSIDE) ||| STOP
";
    with_stack(|| {
        let script = Script::load("compressed.csp", text, Vec::new()).unwrap_or_else(|e| panic!("{e}"));
        for assertion in script.assertions() {
            let report = script.check(&assertion, &Budget::default(), &|_| {});
            let Verdict::Fails(Some(shown)) = report.verdict else { panic!("{}: {:?}", report.text, report.verdict) };
            let told = |label: &str| {
                let part = shown.components.iter().find(|b| b.label == label);
                part.unwrap_or_else(|| panic!("{label} in {shown:?}")).trace.join(" ")
            };
            assert!(told("LEFT").starts_with("a mid"), "{shown:?}");
            assert!(told("RIGHT").starts_with("mid"), "{shown:?}");
        }
    });
}
