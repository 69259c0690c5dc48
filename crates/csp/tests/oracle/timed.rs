//! Random processes of timed sections, with the rules for their steps written down directly: time passes for a choice or
//! a composition when it passes for both sides, and an event takes its time. Shares nothing with the checker.

use super::denotation::TICK;
use super::operational::Steps;
use super::process::Random;

/// The passing of one unit of time.
pub const TOCK: u8 = TICK + 1;
/// How long each event takes.
const TAKES: [u8; 3] = [0, 1, 2];
const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Timed {
    Stop,
    Skip,
    /// After termination: not even time passes.
    Ended,
    /// An event that is awaited as long as it takes.
    Prefix(u8, Box<Timed>),
    /// Units of time that pass before anything else.
    Delay(u8, Box<Timed>),
    External(Box<Timed>, Box<Timed>),
    Internal(Box<Timed>, Box<Timed>),
    Sequential(Box<Timed>, Box<Timed>),
    Interrupt(Box<Timed>, Box<Timed>),
    Parallel(Box<Timed>, u8, Box<Timed>),
    Hide(Box<Timed>, u8),
    Rename(Box<Timed>, u8, u8),
    Exception(Box<Timed>, u8, Box<Timed>),
}

use Timed::*;

fn has(set: u8, e: u8) -> bool {
    e < 3 && set >> e & 1 == 1
}

fn delayed(n: u8, p: &Timed) -> Timed {
    if n == 0 { p.clone() } else { Delay(n, Box::new(p.clone())) }
}

/// Steps of two sides that wait together and of which an event chooses one.
fn choice(p: &Timed, q: &Timed, build: impl Fn(Timed, Timed) -> Timed) -> Vec<(Option<u8>, Timed)> {
    let (left, right) = (p.steps(), q.steps());
    let mut out: Vec<(Option<u8>, Timed)> = Vec::new();
    for (e, n) in &left {
        match e {
            None => out.push((None, build(n.clone(), q.clone()))),
            Some(TOCK) => {}
            e => out.push((*e, n.clone())),
        }
    }
    for (e, n) in &right {
        match e {
            None => out.push((None, build(p.clone(), n.clone()))),
            Some(TOCK) => {}
            e => out.push((*e, n.clone())),
        }
    }
    out.extend(waiting(&left, &right, build));
    out
}

/// Time passes for both or for neither.
fn waiting(
    left: &[(Option<u8>, Timed)],
    right: &[(Option<u8>, Timed)],
    build: impl Fn(Timed, Timed) -> Timed,
) -> Vec<(Option<u8>, Timed)> {
    let of = |steps: &[(Option<u8>, Timed)]| -> Vec<Timed> {
        steps.iter().filter(|(e, _)| *e == Some(TOCK)).map(|(_, n)| n.clone()).collect()
    };
    let (left, right) = (of(left), of(right));
    left.iter().flat_map(|n| right.iter().map(|m| (Some(TOCK), build(n.clone(), m.clone())))).collect()
}

fn interrupted(p: &Timed, q: &Timed) -> Vec<(Option<u8>, Timed)> {
    let build = |p: Timed, q: Timed| Interrupt(Box::new(p), Box::new(q));
    let (left, right) = (p.steps(), q.steps());
    let mut out = waiting(&left, &right, build);
    for (e, n) in left.into_iter().filter(|(e, _)| *e != Some(TOCK)) {
        out.push((e, if e == Some(TICK) { n } else { build(n, q.clone()) }));
    }
    for (e, n) in right.into_iter().filter(|(e, _)| *e != Some(TOCK)) {
        out.push((e, if e.is_none() { build(p.clone(), n) } else { n }));
    }
    out
}

fn together(p: &Timed, set: u8, q: &Timed) -> Vec<(Option<u8>, Timed)> {
    let build = |p: Timed, q: Timed| Parallel(Box::new(p), set, Box::new(q));
    let (left, right) = (p.steps(), q.steps());
    let mut out = waiting(&left, &right, build);
    let alone = |e: &Option<u8>| e.is_none_or(|x| x < 3 && !has(set, x));
    out.extend(left.iter().filter(|(e, _)| alone(e)).map(|(e, n)| (*e, build(n.clone(), q.clone()))));
    out.extend(right.iter().filter(|(e, _)| alone(e)).map(|(e, n)| (*e, build(p.clone(), n.clone()))));
    for (e, n) in &left {
        for (_, m) in right.iter().filter(|(f, _)| f == e) {
            match e {
                Some(TICK) => out.push((*e, Ended)),
                Some(x) if has(set, *x) => out.push((*e, build(n.clone(), m.clone()))),
                _ => {}
            }
        }
    }
    out
}

impl Steps for Timed {
    const LAST: u8 = TOCK;

    fn steps(&self) -> Vec<(Option<u8>, Timed)> {
        let after = |p: &Timed, f: &dyn Fn(Option<u8>, Timed) -> (Option<u8>, Timed)| {
            p.steps().into_iter().map(|(e, n)| f(e, n)).collect::<Vec<_>>()
        };
        match self {
            Stop => vec![(Some(TOCK), Stop)],
            Skip => vec![(Some(TOCK), Skip), (Some(TICK), Ended)],
            Ended => Vec::new(),
            Prefix(a, p) => vec![(Some(TOCK), self.clone()), (Some(*a), delayed(TAKES[*a as usize], p))],
            Delay(n, p) => vec![(Some(TOCK), delayed(n - 1, p))],
            External(p, q) => choice(p, q, |p, q| External(Box::new(p), Box::new(q))),
            Internal(p, q) => vec![(None, (**p).clone()), (None, (**q).clone())],
            Sequential(p, q) => after(p, &|e, n| match e {
                Some(TICK) => (None, (**q).clone()),
                e => (e, Sequential(Box::new(n), q.clone())),
            }),
            Interrupt(p, q) => interrupted(p, q),
            Parallel(p, set, q) => together(p, *set, q),
            Hide(p, set) => after(p, &|e, n| match e {
                Some(TICK) => (e, n),
                Some(x) if has(*set, x) => (None, Hide(Box::new(n), *set)),
                e => (e, Hide(Box::new(n), *set)),
            }),
            Rename(p, from, to) => after(p, &|e, n| match e {
                Some(TICK) => (e, n),
                Some(x) if x == *from => (Some(*to), Rename(Box::new(n), *from, *to)),
                e => (e, Rename(Box::new(n), *from, *to)),
            }),
            Exception(p, set, q) => after(p, &|e, n| match e {
                Some(TICK) => (e, n),
                Some(x) if has(*set, x) => (e, (**q).clone()),
                e => (e, Exception(Box::new(n), *set, q.clone())),
            }),
        }
    }
}

pub fn random(r: &mut Random, size: u32) -> Timed {
    if size == 0 {
        return if r.below(3) == 0 { Stop } else { Skip };
    }
    let one = |r: &mut Random| Box::new(random(r, size - 1));
    let event = |r: &mut Random| r.below(3) as u8;
    let left = r.below(u64::from(size)) as u32;
    match r.below(16) {
        0..=5 => Prefix(event(r), one(r)),
        6 => Delay(1 + r.below(2) as u8, one(r)),
        7 => Hide(one(r), r.below(8) as u8),
        8 => Rename(one(r), event(r), event(r)),
        which => {
            let (p, q) = (Box::new(random(r, left)), Box::new(random(r, size - 1 - left)));
            match which {
                9 | 10 => External(p, q),
                11 => Internal(p, q),
                12 => Sequential(p, q),
                13 => Interrupt(p, q),
                14 => Exception(p, r.below(8) as u8, q),
                _ => Parallel(p, r.below(8) as u8, q),
            }
        }
    }
}

fn set(events: u8) -> String {
    let names: Vec<&str> = (0..3).filter(|e| has(events, *e)).map(|e| NAMES[e as usize]).collect();
    format!("{{{}}}", names.join(", "))
}

/// The process as a timed section writes it.
pub fn script(p: &Timed) -> String {
    let s = |p: &Timed| script(p);
    match p {
        Stop => "STOP".into(),
        Skip => "SKIP".into(),
        Ended => unreachable!("nobody writes what is left after termination"),
        Prefix(a, p) => format!("({} -> {})", NAMES[*a as usize], s(p)),
        Delay(n, p) => format!("({}{})", "tick_once(".repeat(*n as usize), s(p) + &")".repeat(*n as usize)),
        External(p, q) => format!("({} [] {})", s(p), s(q)),
        Internal(p, q) => format!("({} |~| {})", s(p), s(q)),
        Sequential(p, q) => format!("({} ; {})", s(p), s(q)),
        Interrupt(p, q) => format!("({} /\\ {})", s(p), s(q)),
        Parallel(p, a, q) if *a == 0 => format!("({} ||| {})", s(p), s(q)),
        Parallel(p, a, q) => format!("({} [| {} |] {})", s(p), set(*a), s(q)),
        Hide(p, a) => format!("({} \\ {})", s(p), set(*a)),
        Rename(p, a, b) => format!("({} [[{} <- {}]])", s(p), NAMES[*a as usize], NAMES[*b as usize]),
        Exception(p, a, q) => format!("({} [| {} |> {})", s(p), set(*a), s(q)),
    }
}
