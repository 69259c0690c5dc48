//! Each rule against its definition: thousands of random sequences of events, and a few lines that say what the rule means.

use foretrace_property::{Datum, Letter, Properties, violations};

/// An event of a sequence: thread, name, value.
type Event = (u32, &'static str, i64);

/// Pseudo-random numbers, so that this crate needs no other.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn sequence(random: &mut Random) -> Vec<Event> {
    let event = |random: &mut Random| {
        (random.below(2) as u32, ["a", "b", "c"][random.below(3) as usize], random.below(2) as i64)
    };
    let length = random.below(8);
    (0..length).map(|_| event(random)).collect()
}

fn is_violated(rule: &str, events: &[Event]) -> bool {
    let properties: Properties = rule.parse().expect("a rule");
    let letter = |(thread, name, value): &Event| Letter {
        thread: *thread,
        name: (*name).into(),
        values: vec![Datum::Number(*value)],
    };
    let mut letters: Vec<Letter> = events.iter().map(letter).collect();
    letters.sort();
    letters.dedup();
    let number = |event: &Event| letters.binary_search(&letter(event)).expect("it is in the list") as u32;
    let run: Vec<u32> = events.iter().map(number).collect();
    !violations(&properties.templates()[0], &letters, &run, 100).expect("few instances").is_empty()
}

/// Is there a position, and a later one, such that these hold, and nothing between them fits the last?
fn pair(
    events: &[Event],
    first: impl Fn(Event) -> bool,
    then: impl Fn(Event, Event) -> bool,
    until: impl Fn(Event, Event) -> bool,
) -> bool {
    (0..events.len()).filter(|at| first(events[*at])).any(|at| {
        (at + 1..events.len())
            .any(|to| then(events[at], events[to]) && !events[at + 1..to].iter().any(|event| until(events[at], *event)))
    })
}

#[test]
fn rules_mean_what_their_definitions_say() {
    let same = |name: &'static str| move |one: Event, other: Event| other.1 == name && other.2 == one.2;
    let is = |name: &'static str| move |event: Event| event.1 == name;
    let no = |_: Event, _: Event| false;
    let mut random = Random(1);
    let mut seen = [0u32; 6];
    for _ in 0..20_000 {
        let events = sequence(&mut random);
        let by_definition = [
            ("never a(x) after b(x)", pair(&events, is("b"), same("a"), no)),
            ("never a(x) after b(x) until c(x)", pair(&events, is("b"), same("a"), same("c"))),
            (
                "a(x) before b(x)",
                (0..events.len())
                    .any(|at| events[at].1 == "b" && !events[..at].iter().any(|e| same("a")(events[at], *e))),
            ),
            (
                "atomic a(x) ... b(x)",
                pair(
                    &events,
                    is("a"),
                    |one, other| other.1 == "a" && other.2 == one.2 && other.0 != one.0,
                    |one, other| other.1 == "b" && other.2 == one.2 && other.0 == one.0,
                ),
            ),
            ("after a(x) comes b(x) before c(x)", pair(&events, is("a"), same("c"), same("b"))),
            ("never a(x)@t after b(x)@!t", pair(&events, is("b"), |b, a| same("a")(b, a) && a.0 != b.0, no)),
        ];
        for (index, (rule, expected)) in by_definition.into_iter().enumerate() {
            assert_eq!(is_violated(rule, &events), expected, "{rule}: {events:?}");
            seen[index] += u32::from(expected);
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

#[test]
fn bad_rules_are_refused_with_their_place() {
    for (text, line, column, remedy) in [
        ("never", 1, 6, "an event"),
        ("never use(x", 1, 12, "`,` or `)`"),
        ("open(f)", 1, 8, "`before`"),
        ("\n  a(x) befor b(x)", 2, 8, "`before`"),
        ("at most one holder of grab(r)", 1, 23, "until"),
        ("states { one: a -> two }", 1, 20, "no state `two`"),
        ("states { one: a -> one\n one: b -> one }", 2, 2, "twice"),
        ("never \"x", 1, 7, "quotation mark"),
        ("never a $", 1, 9, "no meaning"),
        ("never a(99999999999999999999)", 1, 9, "64 bits"),
        ("after a comes b until c", 1, 17, "`before`"),
        ("property never a", 1, 10, "a name and `:`"),
        ("never a never b", 1, 9, "the end of the line"),
    ] {
        let error = text.parse::<Properties>().expect_err(text);
        assert_eq!((error.place.line, error.place.column), (line, column), "{text}: {error}");
        assert!(error.what.contains(remedy), "{text}: {error}");
    }
}

#[test]
fn the_first_violation_says_how_it_came_about() {
    let properties: Properties = "use: never use(x) after free(x) until alloc(x)".parse().expect("a rule");
    let letter = |name: &str| Letter { thread: 1, name: name.into(), values: vec![Datum::Number(5)] };
    let letters = [letter("use"), letter("free"), letter("alloc")];
    let found = violations(&properties.templates()[0], &letters, &[0, 1, 2, 0, 1, 0, 0], 10).expect("one instance");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].step, &*found[0].state, &*found[0].property), (5, "after", "use"));
    assert_eq!(found[0].because, [4]);
    assert_eq!(found[0].binding, [("x".into(), Datum::Number(5))]);
}
