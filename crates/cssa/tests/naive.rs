//! The solver beside the naive search, on a thousand small random programs: every question, whole orders and prefixes,
//! all models, each bound on the number of context switches. A "yes" has run on the machine; a "no" has a proof that the
//! checker of the solver follows.

use foretrace_cssa::model::Modelled;
use foretrace_cssa::{Analysis, Extent, Model, Options, Switches, Verdict, goals, naive};
use foretrace_ctp::{Ctp, text};
use foretrace_order::{Budget, check_proof};

mod random;
use random::{Random, program, questions};

/// Programs with more moments than this are left out of the comparison: they take too long.
const MOST: usize = 3_000;

#[derive(Default, Debug)]
struct Tally {
    programs: u32,
    yes: u32,
    no: u32,
    lifted: u32,
}

fn compare(ctp: &Ctp, text: &str, options: Options, tally: &mut Tally) {
    let Ok(mut analysis) = Analysis::new(ctp, options) else { return };
    tally.programs += 1;
    let modelled = Modelled::new(ctp, options.model).unwrap();
    for goal in questions(ctp, options.extent) {
        let mut reached = goal.clone();
        if options.model == Model::Relaxed {
            reached.done.extend(reached.fails.take());
        }
        let within = |most| naive::reachable(&modelled, &reached, options.extent, most, MOST);
        let free = within(None);
        for switches in [Switches::Any, Switches::AtMost(0), Switches::AtMost(1), Switches::AtMost(options.switches)] {
            let most = if let Switches::AtMost(most) = switches { Some(most) } else { None };
            // What no order reaches, no order with few switches reaches.
            let expected = if most.is_none() || free == Some(false) { free } else { within(most) };
            let Some(expected) = expected else { continue };
            let verdict = analysis.ask_within(&goal, switches, &Budget::default());
            let right = matches!(verdict, Verdict::Yes(_)) == expected;
            assert!(right, "expected {expected}, found {verdict:?}\n{goal:?} {switches:?} {options:?}\n{text}");
            match verdict {
                Verdict::Yes(witness) => {
                    tally.yes += 1;
                    assert!(most.is_none_or(|most| witness.switches <= most), "{witness:?} {switches:?}\n{text}");
                }
                Verdict::No { lifted } => {
                    tally.no += 1;
                    assert!(!lifted || free != Some(true), "lifted, but possible\n{goal:?} {options:?}\n{text}");
                    tally.lifted += u32::from(lifted && most.is_some());
                }
                Verdict::Unknown => panic!("not decided\n{goal:?} {switches:?} {options:?}\n{text}"),
            }
        }
    }
}

fn rounds(options: impl Fn(u64) -> Options, seed: u64, count: u64) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for round in 0..count {
        let text = program(&mut random);
        let ctp = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        compare(&ctp, &text, options(round), &mut tally);
    }
    eprintln!("{tally:?}");
    tally
}

#[test]
fn prefixes() {
    let tally = rounds(|_| Options { switches: 2, ..Options::default() }, 1, 400);
    assert!(tally.yes > 200 && tally.no > 200 && tally.lifted > 20, "{tally:?}");
}

#[test]
fn whole_orders() {
    let tally = rounds(|_| Options { switches: 3, extent: Extent::Whole, ..Options::default() }, 2, 250);
    assert!(tally.yes > 10 && tally.no > 100, "{tally:?}");
}

#[test]
fn constrained_and_relaxed_models() {
    let model = |round| if round % 2 == 0 { Model::Constrained } else { Model::Relaxed };
    let tally = rounds(|round| Options { switches: 2, model: model(round), ..Options::default() }, 3, 400);
    assert!(tally.yes > 60 && tally.no > 60, "{tally:?}");
}

#[test]
fn counters_have_the_right_sums() {
    let (mut random, mut tally) = (Random(5), Tally::default());
    for _ in 0..300 {
        let text = random::counters(&mut random);
        let ctp = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        compare(&ctp, &text, Options { switches: 2, ..Options::default() }, &mut tally);
    }
    assert!(tally.yes > 200 && tally.no > 200, "{tally:?}");
}

/// What always comes before what, common locks and acquisition histories leave out only what cannot happen.
#[test]
fn left_out_triples_cannot_happen() {
    let mut random = Random(6);
    let (mut left_out, mut by_histories) = (0, 0);
    for _ in 0..600 {
        let text = nested_locks(&mut random);
        let ctp = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (all, left) = goals::triples(&ctp, &goals::marked_regions(&ctp));
        let mut analysis = Analysis::new(&ctp, Options::default()).unwrap();
        for triple in all.into_iter().filter(|triple| !left.contains(triple)) {
            let verdict = analysis.ask(&triple.goal(), &Budget::default());
            assert!(matches!(verdict, Verdict::No { .. }), "{triple:?} {verdict:?}\n{text}");
            left_out += 1;
            let locks = |id| goals::held(&ctp, id).into_iter().map(|(lock, ..)| lock).collect::<Vec<_>>();
            let (own, others) = (locks(triple.first), locks(triple.remote));
            by_histories += u32::from(!own.iter().any(|lock| others.contains(lock)));
        }
    }
    assert!(left_out > 300 && by_histories > 10, "{left_out}, {by_histories} of them without a common lock");
}

#[test]
fn every_no_has_a_proof() {
    let mut random = Random(4);
    let mut proofs = 0;
    for _ in 0..150 {
        let ctp = text::parse(&program(&mut random)).unwrap();
        for goal in questions(&ctp, Extent::Prefix) {
            let options = Options { proof: true, ..Options::default() };
            let Ok(mut analysis) = Analysis::new(&ctp, options) else { continue };
            if let Verdict::No { .. } = analysis.ask(&goal, &Budget::default()) {
                let (steps, core) = (analysis.solver().proof(), analysis.core());
                let edge = |lit| analysis.solver().edge(lit);
                assert_eq!(check_proof(steps, &edge, core), Ok(()), "{}", text::print(&ctp));
                proofs += 1;
            }
        }
    }
    assert!(proofs > 50, "{proofs}");
}

/// Two threads with a region each, whose accesses are under locks that are nested in some order, and given back in any.
fn nested_locks(random: &mut Random) -> String {
    let mut lines = vec!["var x 1".to_owned(), "lock l".to_owned(), "lock k".to_owned()];
    for thread in ["t1", "t2"] {
        let [outer, inner] = if random.below(2) == 0 { ["l", "k"] } else { ["k", "l"] };
        let mut body = vec!["begin".to_owned(), format!("lock {outer}"), format!("lock {inner}")];
        let early = random.below(3) > 0;
        body.extend(early.then(|| format!("unlock {inner}")));
        for access in 0..1 + random.below(2) {
            body.push(if random.below(2) == 0 { format!("read v{access} x") } else { "write x 1:8".to_owned() });
        }
        body.extend((!early).then(|| format!("unlock {inner}")));
        body.push(format!("unlock {outer}"));
        body.push("end".to_owned());
        lines.extend(body.into_iter().map(|line| format!("{thread} {line}")));
    }
    lines.join("\n") + "\n"
}
