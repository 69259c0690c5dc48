//! The smallest checker: `cargo run --release --example check -- model.csp [threads]`.

use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().expect("the name of a script");
    let threads = args.next().map_or(1, |n| n.parse().expect("a number of threads"));
    let text = std::fs::read_to_string(&name).expect("the script can be read");
    with_stack(|| {
        let script = Script::load(&name, &text, Vec::new()).unwrap_or_else(|error| panic!("{error}"));
        for assertion in script.assertions() {
            let report = script.check(&assertion, &Budget { threads, ..Budget::default() }, &|_| {});
            let (s, word) =
                (&report.statistics, if matches!(report.verdict, Verdict::Holds) { "holds" } else { "does not hold" });
            let rate = s.states as f64 / s.time.as_secs_f64() / 1e6;
            println!("{}: {word}: {}", report.at, report.text);
            println!(
                "  {} states, {:.2} s, {rate:.2} M states/s, {:.1} bytes a state",
                s.states,
                s.time.as_secs_f64(),
                s.bytes as f64 / s.states as f64
            );
        }
    });
}
