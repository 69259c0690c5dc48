//! Random traces and properties: the pass, the search with and without reduction, and a naive enumerator agree, and every
//! witness passes the judge.

use foretrace_event::{Event, ThreadId};
use foretrace_judge::judge;
use foretrace_predict::property::Alphabet;
use foretrace_predict::{Options, Prediction, Reductions, predict};
use foretrace_property::{Instance, Linear, Properties, Template, instances};
use foretrace_testkit::Random;
use foretrace_testkit::generate::{self, Shape};
use foretrace_testkit::oracle::Oracle;
use foretrace_trace::{Trace, text};
use std::collections::BTreeSet;

const RULES: [&str; 16] = [
    "never a(x) after b(x)",
    "never a(x) after b(x) until c(x)",
    "never b",
    "a(x) before b(x)",
    "a(x) before b(x) before c(x)",
    "at most one holder of a(x) until b(x)",
    "after a(x) comes b(x) before c(x)",
    "after a comes b before anything but c(_)",
    "atomic a(x) ... b(x)",
    "atomic a(x) ... b(x) against c(x) or b(x)",
    "serialisable a(x), b(x) in c(_) ... d(_)",
    "states { one: a(x) -> two, b(x) -> one; two: b(x) -> one, c(x) -> three; three: a(x) -> one, d(x) -> two }",
    "never a(x)@t after b(x)@!t",
    "never lock(m) after a(_)",
    "never a(x) or b(x) after a(x)",
    "never end after d(x)",
];

fn seeds() -> u64 {
    std::env::var("TRACES").ok().and_then(|count| count.parse().ok()).unwrap_or(1500)
}

/// A random trace with custom events strewn in.
fn random_trace(random: &mut Random) -> Trace {
    let shape = Shape { events: 8 + random.below(14), ..Shape::default() };
    let bare = generate::trace(random, &shape);
    let mut printed = Vec::new();
    text::print(&bare, &mut printed).expect("memory takes all writes");
    let printed = String::from_utf8(printed).expect("text is text");
    let names: Vec<String> = bare.threads().map(|thread| bare.name(thread)).collect();
    let mut lines = Vec::new();
    for line in printed.lines() {
        let thread = names.iter().find(|name| line.starts_with(&format!("{name} ")));
        let may_follow = thread.is_some()
            && !["start", "barrier_enter", "unlock", "wait", "fwait"].iter().any(|verb| line.contains(verb));
        if let Some(thread) = thread.filter(|_| may_follow && random.one_in(2) && !line.contains(" end")) {
            let name = ["a", "b", "c", "d"][random.below(4) as usize];
            lines.push(format!("{thread} custom {name} {}", random.below(2)));
        }
        lines.push(line.to_owned());
    }
    text::parse(&lines.join("\n")).unwrap_or(bare)
}

fn options(template: &Template, partial_order: bool) -> Options {
    let reductions = Reductions { partial_order, ..Reductions::default() };
    let properties = vec![template.clone()];
    Options { races: false, deadlocks: false, properties, reductions, jobs: 1, ..Options::default() }
}

/// The bindings that are violated.
fn violated(prediction: &Prediction) -> BTreeSet<String> {
    assert!(prediction.undecided.is_empty(), "{:?}", prediction.undecided);
    let of = |found: &foretrace_predict::Predicted| {
        found.witness.candidate.violation().expect("a violation").monitor.values()
    };
    prediction.violations.iter().map(of).collect()
}

/// The bindings that some order violates, by the definition: all states of all objects, and the automaton.
fn by_enumeration(trace: &Trace, template: &Template) -> BTreeSet<String> {
    let alphabet = Alphabet::new(trace, template);
    let all = instances(template, alphabet.letters(), 1000).expect("few instances");
    let is_violated = |instance: &&Instance| {
        let after = |state: u32, thread: ThreadId, event: Event| {
            let letter = alphabet.letter(thread, event);
            let local = letter.and_then(|letter| instance.letters.iter().position(|other| *other == letter));
            local.map_or(state, |local| instance.automaton.next(state, local))
        };
        Oracle::new(trace).reaches(0, &after, &|state| *state == instance.automaton.violated())
    };
    let name = |instance: &Instance| {
        let pairs = template.vars.iter().zip(&instance.values).map(|(var, value)| format!("{var} = {value}"));
        pairs.collect::<Vec<_>>().join(", ")
    };
    all.iter().filter(is_violated).map(name).collect()
}

#[test]
fn all_engines_agree_with_the_enumerator() {
    let (mut found, mut by_pass, mut searched, mut held) = (0, 0, 0, 0);
    for seed in 0..seeds() {
        let random = &mut Random::new(seed);
        let trace = random_trace(random);
        let rule = RULES[random.below(RULES.len() as u32) as usize];
        let properties: Properties = rule.parse().expect("a rule");
        let template = &properties.templates()[0];
        let reduced = predict(&trace, &options(template, true), &());
        let whole = predict(&trace, &options(template, false), &());
        let expected = by_enumeration(&trace, template);
        let shown = || {
            let mut out = Vec::new();
            text::print(&trace, &mut out).expect("memory takes all writes");
            format!("seed {seed}: {rule}\n{}", String::from_utf8_lossy(&out))
        };
        assert_eq!(violated(&reduced), expected, "{}", shown());
        assert_eq!(violated(&whole), expected, "{}", shown());
        // Without the pass, the search alone finds the same.
        let searching = Template { linear: None::<Linear>, ..template.clone() };
        assert_eq!(violated(&predict(&trace, &options(&searching, true), &())), expected, "{}", shown());
        for one in reduced.violations.iter().chain(&whole.violations) {
            judge(&trace, &one.witness)
                .unwrap_or_else(|objection| panic!("{objection}: {}\n{}", one.witness.schedule, shown()));
        }
        found += expected.len();
        held += usize::from(expected.is_empty());
        by_pass += reduced.stats.by_pass;
        searched += reduced.stats.searched;
    }
    // All of this must really occur.
    assert!(found > 100 && by_pass > 100 && searched > 100 && held > 100, "{found} {by_pass} {searched} {held}");
}

/// A free place is looked for and taken in two critical sections. In the recorded run, the second thread looked after the
/// first had given the place back; the schedule lets it look before the first takes it, and not in between.
#[test]
fn reads_see_what_was_there_in_the_beginning() {
    let one = |t: &str| {
        let (look, take, give) = (
            ["lock m", "read used", "unlock m"],
            ["lock m", "write used", "unlock m"],
            ["lock m", "write used", "unlock m"],
        );
        let all = look.into_iter().chain(take).chain(["custom a 0", "custom b 0"]).chain(give);
        all.map(|event| format!("{t} {event}\n")).collect::<String>()
    };
    let trace = text::parse(&format!("t0 fork t1\n{}{}", one("t1"), one("t0"))).expect("a trace");
    let properties: Properties = "at most one holder of a(x) until b(x)".parse().expect("a rule");
    let found = predict(&trace, &options(&properties.templates()[0], true), &());
    let schedule = &found.violations[0].witness.schedule;
    let order: Vec<(u32, Event)> = schedule.events().map(|id| (id.thread.0, trace.event(id))).collect();
    let looks = |thread: u32| {
        order.iter().position(|step| matches!(step, (t, Event::Read(_)) if *t == thread)).expect("both look")
    };
    let takes = order.iter().position(|(_, event)| matches!(event, Event::Write(_))).expect("one takes the place");
    assert!(looks(0) < takes && looks(1) < takes, "{order:?}");
}
