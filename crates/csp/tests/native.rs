//! Processes implemented in Rust, used by name in a script.

use foretrace_csp::budget::Budget;
use foretrace_csp::native::{Native, NativeEvent};
use foretrace_csp::script::{Script, Verdict, with_stack};
use std::sync::Arc;

/// Threads that each do a row of steps of their own and then end together. A state is one byte a thread.
struct Threads {
    count: usize,
    length: u64,
}

impl Threads {
    fn position(state: u64, thread: usize) -> u64 {
        state >> (8 * thread) & 0xff
    }
}

impl Native for Threads {
    fn alphabet(&self) -> Vec<String> {
        (0..self.count).flat_map(|t| (0..self.length).map(move |i| format!("step.{t}.{i}"))).collect()
    }

    fn words(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut [u64]) {
        state[0] = 0;
    }

    fn successors(&self, state: &[u64], out: &mut dyn FnMut(NativeEvent, &[u64])) {
        let mut done = true;
        for t in 0..self.count {
            let at = Self::position(state[0], t);
            if at < self.length {
                done = false;
                let event = t as u64 * self.length + at;
                out(NativeEvent::Visible(event as u32), &[state[0] + (1 << (8 * t))]);
            }
        }
        if done && state[0] != u64::MAX {
            out(NativeEvent::Terminate, &[u64::MAX]);
        }
    }

    /// Threads share nothing: the first that can go on is enough.
    fn persistent(&self, _state: &[u64]) -> Option<Vec<usize>> {
        Some(vec![0])
    }
}

const SCRIPT: &str = "
channel step : {0..2}.{0..3}
channel done
THREAD(t, i) = if i > 3 then SKIP else step.t.i -> THREAD(t, i+1)
SAME = ||| t : {0..2} @ THREAD(t, 0)
ORDERED = step.0.0 -> ORDERED [] step.1.0 -> step.2.0 -> ORDERED
assert SAME [FD= PROGRAM
assert PROGRAM [FD= SAME
assert (PROGRAM ; done -> STOP) :[has trace]: <step.1.0, step.0.0, step.0.1, step.0.2, step.0.3>
assert not PROGRAM :[deadlock free] :[partial order reduce]
assert not STOP [T= PROGRAM |\\ {step.2.3}
assert not STOP [T= PROGRAM |\\ {step.2.3} :[partial order reduce]
assert STOP [T= (PROGRAM [| {step.2.3} |] STOP) |\\ {step.2.3} :[partial order reduce [precise]]
assert SKIP [FD= PROGRAM \\ Events
assert done -> STOP [FD= ((PROGRAM [| {step.0.1} |> SKIP) \\ {|step|}) ; done -> STOP
";

#[test]
fn a_native_process_is_a_component_like_any_other() {
    with_stack(|| {
        let native: Arc<dyn Native> = Arc::new(Threads { count: 3, length: 4 });
        let script =
            Script::load("native.csp", SCRIPT, vec![("PROGRAM".into(), native)]).unwrap_or_else(|e| panic!("{e}"));
        let mut states = Vec::new();
        for assertion in script.assertions() {
            let report = script.check(&assertion, &Budget::default(), &|_| {});
            let holds = matches!(report.verdict, Verdict::Holds);
            // The process terminates, so it is free of deadlock and the negation is false.
            let expected = !report.text.contains("deadlock");
            assert_eq!(holds, expected, "{}: {:?}", report.text, report.verdict);
            states.push(report.statistics.states);
        }
        assert!(states[6] < states[4], "reduction explores less: {states:?}");
    });
}
