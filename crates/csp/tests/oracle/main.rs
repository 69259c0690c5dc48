//! The checker against a naive, definition-shaped oracle: same verdicts, and every counterexample is one.

mod denotation;
mod operational;
mod process;
mod timed;

use denotation::{ALL, Meaning, Trace, meaning};
use foretrace_csp::budget::Budget;
use foretrace_csp::counterexample::Counterexample;
use foretrace_csp::script::{Script, Verdict, with_stack};
use operational::{Observer, Steps, diverges, reachable, refined};
use process::{COMPRESSIONS, NAMES, Process, Random, random, script};

const HEADER: &str = "channel a, b, c
transparent sbisim, wbisim, dbisim, diamond, normal, tau_loop_factor, explicate
";

/// How many random pairs; each is asked twenty-four questions on two threads, and some on one, too.
const PAIRS: u64 = 1000;
const QUESTIONS: usize = 24;

fn trace(names: &[String]) -> Trace {
    names.iter().map(|n| NAMES.iter().position(|m| m == n).expect("an event of the alphabet") as u8).collect()
}

fn set(names: &[String]) -> u8 {
    trace(names).iter().fold(0, |m, e| m | 1 << e)
}

/// Whether a counterexample shows what it claims.
fn is_genuine(shown: &Counterexample, spec: Option<&Meaning>, implementation: &Meaning) -> bool {
    let s = trace(&shown.trace);
    if !implementation.traces.contains(&s) {
        return false;
    }
    let event = shown.event.as_ref().map(|e| trace(std::slice::from_ref(e))[0]);
    match shown.kind {
        "trace" => {
            let mut longer = s.clone();
            longer.extend(event);
            let spec = spec.expect("a refinement");
            implementation.traces.contains(&longer) && spec.traces.contains(&s) && !spec.traces.contains(&longer)
        }
        "refusal" => {
            let refused = (s.clone(), ALL & !set(&shown.offered));
            implementation.failures.contains(&refused) && !spec.expect("a refinement").failures.contains(&refused)
        }
        "deadlock" => implementation.failures.contains(&(s, ALL)),
        "divergence" => implementation.divergences.contains(&s) && !spec.is_some_and(|m| m.diverged(&s)),
        "nondeterminism" => {
            let e = event.expect("an event");
            let mut longer = s.clone();
            longer.push(e);
            implementation.traces.contains(&longer) && implementation.failures.contains(&(s, 1 << e))
        }
        "no trace" => true,
        _ => false,
    }
}

/// The models beyond failures. What they show is not looked into: their observations are more than a trace.
fn finer_cases(p: &Process, q: &Process, mp: &Meaning, mq: &Meaning) -> Vec<Case> {
    assert_eq!(
        refined(p, q, Observer::Failures, false),
        mp.refined_by_failures(mq),
        "the oracles differ: {p:?}, {q:?}"
    );
    let models = [
        ("V", Observer::Revivals, false),
        ("VD", Observer::Revivals, true),
        ("R", Observer::RefusalTests, false),
        ("RD", Observer::RefusalTests, true),
    ];
    let case = |(tag, observer, divergences)| Case {
        assertion: format!("SPEC [{tag}= IMPL"),
        expected: refined(p, q, observer, divergences),
        shows: None,
    };
    models.into_iter().map(case).collect()
}

/// Whose behaviour a counterexample is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Both,
    ImplementationOnly,
}

struct Case {
    assertion: String,
    expected: bool,
    shows: Option<Shows>,
}

fn cases(p: &str, q: &str, mp: &Meaning, mq: &Meaning, r: &mut Random) -> Vec<Case> {
    let mut out = Vec::new();
    let mut add = |assertion: String, expected: bool, spec_side: bool| {
        let shows = Some(if spec_side { Shows::Both } else { Shows::ImplementationOnly });
        out.push(Case { assertion, expected, shows });
    };
    for grade in
        ["", " :[partial order reduce]", " :[partial order reduce [precise]]", " :[partial order reduce [fast]]"]
    {
        add(format!("{p} [T= {q}{grade}"), mp.refined_by_traces(mq), true);
        add(format!("{p} [F= {q}{grade}"), mp.refined_by_failures(mq), true);
        add(format!("{p} [FD= {q}{grade}"), mp.refined_by_divergences(mq), true);
        match grade {
            // Without a model the question is asked with divergences.
            "" => add(format!("{q} :[deadlock free]"), !mq.deadlocks() && mq.divergences.is_empty(), false),
            _ => add(format!("{q} :[deadlock free [F]]{grade}"), !mq.deadlocks(), false),
        }
    }
    add(format!("{q} :[divergence free]"), mq.divergences.is_empty(), false);
    add(format!("{q} :[deterministic [F]]"), mq.deterministic(), false);
    add(format!("{q} :[deterministic [FD]]"), mq.deterministic() && mq.divergences.is_empty(), false);
    let wanted: Trace = (0..r.below(4)).map(|_| r.below(3) as u8).collect();
    let names: Vec<_> = wanted.iter().map(|e| NAMES[*e as usize]).collect();
    add(format!("{q} :[has trace]: <{}>", names.join(", ")), mq.traces.contains(&wanted), false);
    out
}

fn check_pair(seed: u64) -> usize {
    let mut r = Random::new(seed);
    let (small, large) = (2 + r.below(5) as u32, 2 + r.below(8) as u32);
    let p = random(&mut r, small);
    // Half of the time the implementation is a variant of the specification, so that some refinements hold.
    let q = match r.below(4) {
        0 => Process::Compressed(COMPRESSIONS[r.below(7) as usize], Box::new(p.clone())),
        1 => Process::Parallel(Box::new(p.clone()), 7, Box::new(random(&mut r, 2))),
        _ => random(&mut r, large),
    };
    let (mp, mq) = (meaning(&p), meaning(&q));
    let mut decls = Vec::new();
    let (tp, tq) = (script(&p, &mut r, &mut decls), script(&q, &mut r, &mut decls));
    let mut cases = cases("SPEC", "IMPL", &mp, &mq, &mut r);
    cases.extend(finer_cases(&p, &q, &mp, &mq));
    let asserts: Vec<_> = cases.iter().map(|c| format!("assert {}", c.assertion)).collect();
    let text = format!("{HEADER}{}\nSPEC = {tp}\nIMPL = {tq}\n{}\n", decls.join("\n"), asserts.join("\n"));
    let loaded = Script::load("random.csp", &text, Vec::new()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let on = |threads| Budget { threads, ..Budget::default() };
    for (case, assertion) in cases.iter().zip(loaded.assertions()) {
        let report = loaded.check(&assertion, &on(2), &|_| {});
        if seed.is_multiple_of(4) {
            let alone = loaded.check(&assertion, &on(1), &|_| {});
            assert_eq!(format!("{:?}", report.verdict), format!("{:?}", alone.verdict), "seed {seed}: {text}");
        }
        let holds = match &report.verdict {
            Verdict::Holds => true,
            Verdict::Fails(Some(shown)) => {
                if let Some(shows) = case.shows {
                    let spec = (shows == Shows::Both).then_some(&mp);
                    assert!(is_genuine(shown, spec, &mq), "seed {seed}: {shown:?}\n{}\n{text}", case.assertion);
                }
                false
            }
            other => panic!("seed {seed}: {other:?}\n{}\n{text}", case.assertion),
        };
        assert_eq!(holds, case.expected, "seed {seed}: {}\n{text}", case.assertion);
    }
    cases.len()
}

#[test]
fn random_scripts_agree_with_the_oracle() {
    let asked: usize = with_stack(|| (1..=PAIRS).map(check_pair).sum());
    assert_eq!(asked, PAIRS as usize * QUESTIONS);
}

const TIMED_HEADER: &str = "channel tock
channel a, b, c
takes(a) = 0
takes(b) = 1
takes(c) = 2
tick_once(P) = tock -> P
";
const TIMED_PAIRS: u64 = 1000;

/// A question about two timed processes, and its answer by the rules of timed sections.
fn timed_cases(p: &timed::Timed, q: &timed::Timed) -> Vec<(&'static str, bool)> {
    let states = reachable(q);
    let deadlocked = |p: &timed::Timed| *p != timed::Timed::Ended && p.steps().is_empty();
    vec![
        ("SPEC [T= IMPL", refined(p, q, Observer::Traces, false)),
        ("SPEC [F= IMPL", refined(p, q, Observer::Failures, false)),
        ("SPEC [FD= IMPL", refined(p, q, Observer::Failures, true)),
        ("IMPL [FD= SPEC", refined(q, p, Observer::Failures, true)),
        ("IMPL :[deadlock free [F]]", !states.iter().any(deadlocked)),
        ("IMPL :[divergence free]", !diverges(&states)),
    ]
}

fn check_timed_pair(seed: u64) -> usize {
    let mut r = Random::new(seed);
    let (small, large) = (1 + r.below(4) as u32, 1 + r.below(5) as u32);
    let p = timed::random(&mut r, small);
    let q = match r.below(3) {
        0 => timed::Timed::Parallel(Box::new(p.clone()), 7, Box::new(timed::random(&mut r, 2))),
        _ => timed::random(&mut r, large),
    };
    let cases = timed_cases(&p, &q);
    let asserts: Vec<String> = cases.iter().map(|(claim, _)| format!("assert {claim}\n")).collect();
    let (p, q) = (timed::script(&p), timed::script(&q));
    let text = format!("{TIMED_HEADER}Timed(takes) {{\n  SPEC = {p}\n  IMPL = {q}\n}}\n{}", asserts.concat());
    let loaded = Script::load("timed.csp", &text, Vec::new()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for ((claim, expected), assertion) in cases.iter().zip(loaded.assertions()) {
        let report = loaded.check(&assertion, &Budget::default(), &|_| {});
        let holds = match &report.verdict {
            Verdict::Holds => true,
            Verdict::Fails(_) => false,
            other => panic!("seed {seed}: {other:?}\n{claim}\n{text}"),
        };
        assert_eq!(holds, *expected, "seed {seed}: {claim}\n{text}");
    }
    cases.len()
}

#[test]
fn random_timed_sections_agree_with_the_oracle() {
    let asked: usize = with_stack(|| (1..=TIMED_PAIRS).map(check_timed_pair).sum());
    assert_eq!(asked, TIMED_PAIRS as usize * 6);
}

/// A watchdog beside a process answers what refinement answers.
fn check_watchdogs(seed: u64) {
    let mut r = Random::new(seed);
    let p = random(&mut r, 4);
    let q = if r.below(3) == 0 {
        Process::Parallel(Box::new(p.clone()), 7, Box::new(random(&mut r, 2)))
    } else {
        random(&mut r, 5)
    };
    let mut decls = Vec::new();
    let (tp, tq) = (script(&p, &mut r, &mut decls), script(&q, &mut r, &mut decls));
    let text = format!(
        "{HEADER}external trace_watchdog, failure_watchdog\nchannel done, bark\nA = {{a, b, c, done}}\n{}
SPEC = ({tp}) ; done -> STOP\nIMPL = ({tq}) ; done -> STOP
assert SPEC [T= IMPL\nassert STOP [T= (IMPL [| A |] trace_watchdog(SPEC, A, bark)) |\\ {{bark}}
assert SPEC [F= IMPL\nassert IMPL [| A |] failure_watchdog(SPEC, A, bark) :[deadlock free [F]]
assert STOP [T= (IMPL [| A |] failure_watchdog(SPEC, A, bark)) |\\ {{bark}}\n",
        decls.join("\n")
    );
    let loaded = Script::load("watched.csp", &text, Vec::new()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let answers: Vec<bool> = loaded
        .assertions()
        .iter()
        .map(|a| match loaded.check(a, &Budget::default(), &|_| {}).verdict {
            Verdict::Holds => true,
            Verdict::Fails(_) => false,
            other => panic!("{other:?}\n{text}"),
        })
        .collect();
    assert_eq!((answers[0], answers[2]), (answers[1], answers[3] && answers[4]), "seed {seed}: {text}");
}

#[test]
fn watchdogs_bark_and_starve_where_refinement_fails() {
    with_stack(|| (0..1500).for_each(check_watchdogs));
}
