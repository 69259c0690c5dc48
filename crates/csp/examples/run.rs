//! Runs a script's assertions.
use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, with_stack};
fn main() {
    with_stack(|| {
        let name = std::env::args().nth(1).unwrap();
        let text = std::fs::read_to_string(&name).unwrap();
        match Script::load(&name, &text, vec![]) {
            Err(e) => println!("{e}"),
            Ok(s) => {
                for a in s.assertions() {
                    let r = s.check(
                        &a,
                        &Budget {
                            threads: std::env::args().nth(2).map_or(1, |t| t.parse().unwrap()),
                            ..Budget::default()
                        },
                        &|_| {},
                    );
                    println!("{} {:?}\n  {:?}", r.text, r.verdict, r.statistics);
                    if let foretrace_csp::script::Verdict::Error(d) = &r.verdict {
                        println!("{}", d.render(&s.sources));
                    }
                }
            }
        }
    });
}
