//! `foretrace symbolic`: answers about the programs of the paper, and refuses what is none.

use crate::support::{Ran, Scratch, exists, skipped};

/// A lost update, and a region that it breaks.
const LOST: &str = "var x 4
t1 begin
t1 read a x
t1 write x (add a 1)
t1 end
t2 read b x
t2 write x (add b 1)
t0 fork t1
t0 fork t2
t0 join t1
t0 join t2
t0 read c x
t0 assert (eq c 2) \"lost.c:9\"
";

fn figure(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/symbolic/");
    std::fs::read_to_string(format!("{path}{name}.ctp")).expect("it is there")
}

fn ask(text: &str, options: &str) -> Ran {
    let scratch = Scratch::with(&[("a.ctp", text)]);
    scratch.run(&format!("foretrace symbolic a.ctp {options}"))
}

#[test]
fn an_assertion_fails_in_one_model_and_not_in_the_other() {
    let exact = ask(&figure("figure1"), "--find assertions");
    assert_eq!(exact.code(), Some(1), "{}", exact.err());
    assert!(exact.out().starts_with("can happen: the assertion t2:5 fails ("), "{}", exact.out());
    assert!(exact.out().ends_with("1 questions: 1 can happen, 0 cannot, 0 not decided\n"), "{}", exact.out());
    let constrained = ask(&figure("figure1"), "--find assertions --model constrained");
    assert_eq!(constrained.code(), Some(0), "{}", constrained.err());
    assert!(constrained.out().starts_with("cannot happen: the assertion t2:5 fails\n"), "{}", constrained.out());
}

#[test]
fn an_order_has_what_reads_see() {
    let ran = ask(LOST, "--orders");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    let out = ran.out();
    for line in ["t0:6 (lost.c:9)", "t0:5 reads `x` = 1", "can happen: t2:2 breaks the region of t1:2 and t1:3"] {
        assert!(out.contains(line), "{line} is missing in\n{out}");
    }
}

#[test]
fn bounds_prefixes_and_data_change_answers() {
    // With no switch between threads that wait for nothing, nothing is lost.
    let answers = |options: &str| ask(LOST, &format!("--find assertions {options}")).code();
    assert_eq!(answers("--switches 8"), Some(1));
    assert_eq!(answers("--whole"), Some(1));
    assert_eq!(answers("--timeout 0s"), Some(2));
    assert_eq!(ask(&figure("figure5"), "").code(), Some(1));
    assert_eq!(ask(&figure("figure5"), "--whole").code(), Some(0));
    assert_eq!(ask(&figure("figure9a"), "--model relaxed").code(), Some(1));
    assert_eq!(ask(&figure("figure9a"), "").code(), Some(0));
}

#[test]
fn other_solvers_give_the_same_answers() {
    let scratch = Scratch::with(&[("a.ctp", LOST)]);
    let ran = scratch.run("foretrace symbolic a.ctp --find assertions,atomicity,races,locks --emit-smt a.smt2");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    if !exists("z3") {
        skipped("z3 on the emitted formulas");
        return;
    }
    let answers = scratch.run("z3 a.smt2").succeeds().out();
    let ours: Vec<_> =
        ran.out().lines().filter_map(|line| line.split_once(": ").map(|(word, _)| word.to_owned())).collect();
    let theirs: Vec<_> =
        answers.lines().map(|line| if line == "sat" { "can happen" } else { "cannot happen" }.to_owned()).collect();
    assert!(theirs.len() > 2 && ours.starts_with(&theirs), "{ours:?} {theirs:?}");
}

#[test]
fn what_is_no_program_is_refused() {
    ask("t1 read a x\n", "").refuses("is not a concurrent trace program");
    ask("var x 4\nt1 if (eq 1:8 1)\nt1 write x 1:32\nt1 endif\n", "--model relaxed").refuses("cannot analyse");
    Scratch::new().run("foretrace symbolic missing.ctp").refuses("cannot read missing.ctp");
}

/// A trace without values: critical sections as regions, as in the paper's table 3.
#[test]
fn a_trace_of_the_rapid_tools_is_asked_about_sections() {
    let trace = "T0|fork(T1)|1\nT0|fork(T2)|2\n\
                 T1|acq(L)|3\nT1|r(x)|4\nT1|w(x)|5\nT1|rel(L)|6\n\
                 T2|acq(L)|7\nT2|w(x)|8\nT2|rel(L)|9\nT2|w(x)|10\n\
                 T0|join(T1)|11\nT0|join(T2)|12\nT0|w(x)|13\n";
    let scratch = Scratch::with(&[("a.std", trace)]);
    let ran = scratch.run("foretrace symbolic a.std --find sections");
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    let expected = "can happen: T2:4 (10) breaks the region of T1:2 (4) and T1:3 (5) (4 context switches)\n\
                    2 regions: 3 triples of accesses, 2 that nothing orders, 1 that no lock prevents\n\
                    1 questions: 1 can happen, 0 cannot, 0 not decided\n";
    assert_eq!(ran.out(), expected);
    let scratch = Scratch::with(&[("a.std", "T0|stop\n")]);
    scratch.run("foretrace symbolic a.std").refuses("line 1");
}
