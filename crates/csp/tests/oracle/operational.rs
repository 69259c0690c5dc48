//! Revivals and refusal traces of finite processes by their definitions, over the textbooks' rules for the steps of each
//! operator. Shares nothing with the checker; failures found this way must agree with the denotational ones.

use super::denotation::{Events, TICK};
use super::process::Process;
use std::collections::BTreeSet;

/// A process that takes steps.
pub trait Steps: Ord + Clone {
    /// The number of its last event.
    const LAST: u8;
    /// Each step with its event, or with nothing for τ.
    fn steps(&self) -> Vec<(Option<u8>, Self)>;
}

impl Steps for Process {
    const LAST: u8 = TICK;
    fn steps(&self) -> Vec<(Option<u8>, Self)> {
        steps(self)
    }
}

type States<P> = BTreeSet<P>;

/// The steps of a process; nothing for τ. After termination nothing is left to do, as in STOP.
fn steps(p: &Process) -> Vec<(Option<u8>, Process)> {
    let boxed = |p: &Process| Box::new(p.clone());
    let mut out = Vec::new();
    match p {
        Process::Stop => {}
        Process::Skip => out.push((Some(TICK), Process::Stop)),
        Process::Div => out.push((None, Process::Div)),
        Process::Prefix(a, p) => out.push((Some(*a), (**p).clone())),
        Process::Internal(p, q) => out.extend([(None, (**p).clone()), (None, (**q).clone())]),
        Process::Compressed(_, p) => return steps(p),
        Process::External(p, q) => {
            let left = steps(p).into_iter().map(|(e, n)| match e {
                None => (e, Process::External(Box::new(n), q.clone())),
                _ => (e, n),
            });
            let right = steps(q).into_iter().map(|(e, n)| match e {
                None => (e, Process::External(p.clone(), Box::new(n))),
                _ => (e, n),
            });
            out.extend(left.chain(right));
        }
        Process::Sliding(p, q) => {
            out.push((None, (**q).clone()));
            out.extend(steps(p).into_iter().map(|(e, n)| match e {
                None => (e, Process::Sliding(Box::new(n), q.clone())),
                _ => (e, n),
            }));
        }
        Process::Sequential(p, q) => out.extend(steps(p).into_iter().map(|(e, n)| match e {
            Some(TICK) => (None, (**q).clone()),
            _ => (e, Process::Sequential(Box::new(n), q.clone())),
        })),
        Process::Interrupt(p, q) => {
            out.extend(steps(p).into_iter().map(|(e, n)| match e {
                Some(TICK) => (e, n),
                _ => (e, Process::Interrupt(Box::new(n), q.clone())),
            }));
            out.extend(steps(q).into_iter().map(|(e, n)| match e {
                None => (e, Process::Interrupt(p.clone(), Box::new(n))),
                _ => (e, n),
            }));
        }
        Process::Exception(p, a, q) => out.extend(steps(p).into_iter().map(|(e, n)| match e {
            Some(TICK) => (e, n),
            Some(x) if has(*a, x) => (e, (**q).clone()),
            _ => (e, Process::Exception(Box::new(n), *a, q.clone())),
        })),
        Process::Hide(p, a) => out.extend(steps(p).into_iter().map(|(e, n)| match e {
            Some(TICK) => (e, n),
            Some(x) if has(*a, x) => (None, Process::Hide(Box::new(n), *a)),
            _ => (e, Process::Hide(Box::new(n), *a)),
        })),
        Process::Rename(p, r) => {
            for (e, n) in steps(p) {
                let next = if e == Some(TICK) { n } else { Process::Rename(Box::new(n), r.clone()) };
                match e {
                    Some(x) => out.extend(images(r, x).into_iter().map(|i| (Some(i), next.clone()))),
                    None => out.push((None, next)),
                }
            }
        }
        Process::Parallel(p, a, q) => {
            let build = |p: &Process, q: &Process| Process::Parallel(boxed(p), *a, boxed(q));
            together(p, q, |x| !has(*a, x), |x| !has(*a, x), |x| has(*a, x), &build, &mut out);
        }
        Process::Alphabetised(p, a, b, q) => {
            let build = |p: &Process, q: &Process| Process::Alphabetised(boxed(p), *a, *b, boxed(q));
            let left = |x| has(*a, x) && !has(*b, x);
            let right = |x| has(*b, x) && !has(*a, x);
            together(p, q, left, right, |x| has(a & b, x), &build, &mut out);
        }
    }
    out
}

/// Two processes side by side: what each does alone and what they do together. They terminate together.
fn together(
    p: &Process,
    q: &Process,
    left: impl Fn(u8) -> bool,
    right: impl Fn(u8) -> bool,
    both: impl Fn(u8) -> bool,
    build: &dyn Fn(&Process, &Process) -> Process,
    out: &mut Vec<(Option<u8>, Process)>,
) {
    let (mine, yours) = (steps(p), steps(q));
    let alone = |e: &Option<u8>, may: &dyn Fn(u8) -> bool| e.is_none_or(|x| x != TICK && may(x));
    out.extend(mine.iter().filter(|(e, _)| alone(e, &left)).map(|(e, n)| (*e, build(n, q))));
    out.extend(yours.iter().filter(|(e, _)| alone(e, &right)).map(|(e, n)| (*e, build(p, n))));
    for (e, n) in &mine {
        for (_, m) in yours.iter().filter(|(f, _)| e.is_some() && f == e) {
            match e {
                Some(TICK) => out.push((*e, Process::Stop)),
                Some(x) if both(*x) => out.push((*e, build(n, m))),
                _ => {}
            }
        }
    }
}

fn has(set: Events, e: u8) -> bool {
    set >> e & 1 == 1
}

fn images(r: &[(u8, u8)], e: u8) -> Vec<u8> {
    let named: Vec<u8> = r.iter().filter(|(from, _)| *from == e).map(|(_, to)| *to).collect();
    if named.is_empty() { vec![e] } else { named }
}

/// All that silent steps reach.
fn closed<P: Steps>(states: impl IntoIterator<Item = P>) -> States<P> {
    let mut out: States<P> = BTreeSet::new();
    let mut todo: Vec<P> = states.into_iter().collect();
    while let Some(p) = todo.pop() {
        if out.insert(p.clone()) {
            todo.extend(p.steps().into_iter().filter(|(e, _)| e.is_none()).map(|(_, n)| n));
        }
    }
    out
}

pub fn start<P: Steps>(p: &P) -> States<P> {
    closed([p.clone()])
}

/// What a stable state offers.
fn offers<P: Steps>(p: &P) -> Option<Events> {
    let steps = p.steps();
    let stable = steps.iter().all(|(e, _)| e.is_some());
    stable.then(|| steps.iter().filter_map(|(e, _)| *e).fold(0, |m, e| m | 1 << e))
}

fn after<P: Steps>(states: &States<P>, e: u8) -> States<P> {
    closed(states.iter().flat_map(P::steps).filter(|(x, _)| *x == Some(e)).map(|(_, n)| n))
}

/// The stable states that refuse a set.
fn refusing<P: Steps>(states: &States<P>, x: Events) -> States<P> {
    states.iter().filter(|p| offers(*p).is_some_and(|o| o & x == 0)).cloned().collect()
}

/// Whether some state can work silently for ever: a finite process does so only round a loop.
pub fn diverges<P: Steps>(states: &States<P>) -> bool {
    let silent = |p: &P| p.steps().into_iter().filter(|(e, _)| e.is_none()).map(|(_, n)| n);
    states.iter().any(|p| closed(silent(p)).contains(p))
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Observer {
    Traces,
    Failures,
    Revivals,
    RefusalTests,
}

/// Whether all that is observed of the second is observed of the first.
pub fn refined<P: Steps>(spec: &P, implementation: &P, observer: Observer, divergences: bool) -> bool {
    let mut known = BTreeSet::new();
    included(&start(spec), &start(implementation), observer, divergences, &mut known)
}

fn included<P: Steps>(
    s: &States<P>,
    i: &States<P>,
    observer: Observer,
    divergences: bool,
    known: &mut BTreeSet<(States<P>, States<P>)>,
) -> bool {
    if !known.insert((s.clone(), i.clone())) || divergences && diverges(s) {
        return true;
    }
    if divergences && diverges(i) {
        return false;
    }
    let follow = |s: &States<P>, i: &States<P>, known: &mut BTreeSet<(States<P>, States<P>)>| {
        (0..=P::LAST).all(|e| {
            let (s, i) = (after(s, e), after(i, e));
            i.is_empty() || !s.is_empty() && included(&s, &i, observer, divergences, known)
        })
    };
    let all: Events = (1 << (P::LAST + 1)) - 1;
    (0..=all).all(|x| {
        let (s, i) = (refusing(s, x), refusing(i, x));
        let revived = |e| after(&i, e).is_empty() || !after(&s, e).is_empty();
        match observer {
            Observer::Traces => true,
            Observer::Failures => i.is_empty() || !s.is_empty(),
            Observer::Revivals => (x != all || i.is_empty() || !s.is_empty()) && (0..=P::LAST).all(revived),
            Observer::RefusalTests => (i.is_empty() || !s.is_empty()) && follow(&s, &i, known),
        }
    }) && follow(s, i, known)
}

/// Every state a process can come to.
pub fn reachable<P: Steps>(p: &P) -> States<P> {
    let mut out = BTreeSet::new();
    let mut todo = vec![p.clone()];
    while let Some(p) = todo.pop() {
        if out.insert(p.clone()) {
            todo.extend(p.steps().into_iter().map(|(_, n)| n));
        }
    }
    out
}
