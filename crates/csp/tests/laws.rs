//! Laws of CSP, each asked both ways in the failures-divergences model of random processes.

#[path = "oracle/process.rs"]
mod process;

use foretrace_csp::budget::Budget;
use foretrace_csp::script::{Script, Verdict, with_stack};
use process::{Random, random, script};

/// Pairs of processes that are equal whatever P, Q and R are. `{A}` and `{B}` are sets of events.
const LAWS: &[(&str, &str)] = &[
    ("P [] STOP", "P"),
    ("P [] P", "P"),
    ("P [] Q", "Q [] P"),
    ("P [] (Q [] R)", "(P [] Q) [] R"),
    ("P |~| P", "P"),
    ("P |~| Q", "Q |~| P"),
    ("P |~| (Q |~| R)", "(P |~| Q) |~| R"),
    ("P [] (Q |~| R)", "(P [] Q) |~| (P [] R)"),
    ("P |~| (Q [] R)", "(P |~| Q) [] (P |~| R)"),
    ("a -> (P |~| Q)", "(a -> P) |~| (a -> Q)"),
    ("SKIP ; P", "P"),
    ("STOP ; P", "STOP"),
    ("(P ; Q) ; R", "P ; (Q ; R)"),
    ("(P |~| Q) ; R", "(P ; R) |~| (Q ; R)"),
    ("(a -> P) ; Q", "a -> (P ; Q)"),
    ("SKIP ||| P", "P"),
    ("P ||| Q", "Q ||| P"),
    ("P ||| (Q ||| R)", "(P ||| Q) ||| R"),
    ("P [| {A} |] Q", "Q [| {A} |] P"),
    ("P [| {A} |] (Q [| {A} |] R)", "(P [| {A} |] Q) [| {A} |] R"),
    ("P [| {A} |] (Q |~| R)", "(P [| {A} |] Q) |~| (P [| {A} |] R)"),
    ("(a -> P) [| {a} |] (a -> Q)", "a -> (P [| {a} |] Q)"),
    ("(a -> P) [| {a, b} |] (b -> Q)", "STOP"),
    ("(a -> P) [| {a} |] (b -> Q)", "b -> ((a -> P) [| {a} |] Q)"),
    ("(a -> P) ||| (b -> Q)", "(a -> (P ||| (b -> Q))) [] (b -> ((a -> P) ||| Q))"),
    ("P [ {a, b, c} || {a, b, c} ] Q", "P [| {a, b, c} |] Q"),
    ("P \\ {}", "P"),
    ("(P \\ {A}) \\ {B}", "P \\ union({A}, {B})"),
    ("(a -> P) \\ {a}", "P \\ {a}"),
    ("(a -> P) \\ {b}", "a -> (P \\ {b})"),
    ("(P |~| Q) \\ {A}", "(P \\ {A}) |~| (Q \\ {A})"),
    ("P |\\ {A}", "P \\ diff(Events, {A})"),
    ("(P ||| Q) \\ {A}", "(P \\ {A}) ||| (Q \\ {A})"),
    ("P [[a <- a]]", "P"),
    ("(a -> P) [[a <- b]]", "b -> (P [[a <- b]])"),
    ("(P [] Q) [[a <- b]]", "(P [[a <- b]]) [] (Q [[a <- b]])"),
    ("(P ; Q) [[a <- b]]", "(P [[a <- b]]) ; (Q [[a <- b]])"),
    ("P /\\ STOP", "P"),
    ("STOP /\\ P", "P"),
    ("P /\\ (Q /\\ R)", "(P /\\ Q) /\\ R"),
    ("(a -> P) /\\ Q", "Q [] a -> (P /\\ Q)"),
    ("P [| {} |> Q", "P"),
    ("STOP [| {A} |> P", "STOP"),
    ("(a -> P) [| {a} |> Q", "a -> Q"),
    ("(a -> P) [| {b} |> Q", "a -> (P [| {b} |> Q)"),
    ("P [> Q", "(P |~| STOP) [] Q"),
    ("STOP [> P", "P"),
    ("P [+ {} +] Q", "P [] Q"),
    ("P /+ {} +\\ Q", "P /\\ Q"),
    ("if true then P else Q", "P"),
    ("true & P", "P"),
    ("false & P", "STOP"),
    ("let X = P within X", "P"),
    ("(\\ X @ X)(P)", "P"),
    ("[] x : {0} @ P", "P"),
    ("||| x : {0, 1} @ P", "P ||| P"),
    ("|~| x : {0, 1} @ (if x == 0 then P else Q)", "P |~| Q"),
    ("; x : <0, 1> @ P", "P ; P"),
];

/// Claims that hold whatever P and Q are.
const CLAIMS: &[&str] = &[
    "P [FD= deter(P)",
    "deter(P) :[deterministic [F]]",
    "deter(P) [FD= deter(deter(P))",
    "P [| {A} |] Q [FD= deter(P [| {A} |] Q)",
    "deter((P ||| Q) \\ {A}) :[deterministic [F]]",
    "(P ||| Q) \\ {A} [FD= deter((P ||| Q) \\ {A})",
];

fn sets(law: &str, a: &str, b: &str) -> String {
    law.replace("{A}", a).replace("{B}", b)
}

fn check(seed: u64) {
    let mut r = Random::new(seed);
    let mut decls = Vec::new();
    let mut names = Vec::new();
    for name in ["P", "Q", "R"] {
        let size = 1 + r.below(5) as u32;
        let body = random(&mut r, size);
        names.push(format!("{name} = {}", script(&body, &mut r, &mut decls)));
    }
    let a = ["{}", "{a}", "{b, c}", "{a, b, c}"][r.below(4) as usize];
    let b = ["{}", "{b}", "{a, c}"][r.below(3) as usize];
    let mut text = String::from(
        "channel a, b, c\ntransparent sbisim, wbisim, dbisim, diamond, normal, tau_loop_factor, explicate\nexternal deter\n",
    );
    // The parts are renamed so that they do not meet the names of the laws.
    for line in decls.iter().chain(&names) {
        text += &format!("{line}\n");
    }
    for (left, right) in LAWS {
        let (left, right) = (sets(left, a, b), sets(right, a, b));
        text += &format!("assert ({left}) [FD= ({right})\nassert ({right}) [FD= ({left})\n");
    }
    for claim in CLAIMS {
        text += &format!("assert {}\n", sets(claim, a, b));
    }
    let loaded = Script::load("laws.csp", &text, Vec::new()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for assertion in loaded.assertions() {
        let report = loaded.check(&assertion, &Budget::default(), &|_| {});
        assert!(matches!(report.verdict, Verdict::Holds), "seed {seed}: {}\n{:?}\n{text}", report.text, report.verdict);
    }
}

#[test]
fn laws_hold_of_random_processes() {
    with_stack(|| (1..=60).for_each(check));
}
