//! Traces, stable failures and divergences of finite processes, clause by clause as the textbooks give them
//! (Schneider's treatment of termination: ✓ is refusable and parallel processes do it together).
//!
//! Slow and literal on purpose: every refusal set is written down, not only the maximal ones.

use super::process::Process;
use std::collections::BTreeSet;

/// Termination, after the events a, b and c.
pub const TICK: u8 = 3;

pub type Trace = Vec<u8>;
/// A set of events, one bit each.
pub type Events = u8;
/// a, b, c and ✓.
pub const ALL: Events = 0b1111;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    pub traces: BTreeSet<Trace>,
    pub failures: BTreeSet<(Trace, Events)>,
    pub divergences: BTreeSet<Trace>,
}

fn bit(e: u8) -> Events {
    1 << e
}

fn refusals() -> impl Iterator<Item = Events> {
    0..=ALL
}

fn ends(s: &Trace) -> bool {
    s.last() == Some(&TICK)
}

fn join(s: &[u8], t: &[u8]) -> Trace {
    s.iter().chain(t).copied().collect()
}

pub fn meaning(p: &Process) -> Meaning {
    match p {
        Process::Stop => constant(vec![vec![]], refusals().map(|x| (vec![], x)), vec![]),
        Process::Skip => constant(
            vec![vec![], vec![TICK]],
            refusals().filter(|x| x & bit(TICK) == 0).map(|x| (vec![], x)).chain(refusals().map(|x| (vec![TICK], x))),
            vec![],
        ),
        Process::Div => constant(vec![vec![]], std::iter::empty(), vec![vec![]]),
        Process::Prefix(a, p) => prefix(*a, meaning(p)),
        Process::External(p, q) => external(meaning(p), meaning(q)),
        Process::Internal(p, q) => internal(meaning(p), meaning(q)),
        Process::Sliding(p, q) => sliding(meaning(p), meaning(q)),
        Process::Sequential(p, q) => sequential(meaning(p), meaning(q)),
        Process::Interrupt(p, q) => interrupt(meaning(p), meaning(q)),
        Process::Parallel(p, a, q) => parallel(meaning(p), *a, meaning(q)),
        Process::Alphabetised(p, a, b, q) => alphabetised(meaning(p), *a, *b, meaning(q)),
        Process::Hide(p, a) => hide(meaning(p), *a),
        Process::Rename(p, r) => rename(meaning(p), r),
        Process::Exception(p, a, q) => exception(meaning(p), *a, meaning(q)),
        Process::Compressed(_, p) => meaning(p),
    }
}

fn constant(traces: Vec<Trace>, failures: impl Iterator<Item = (Trace, Events)>, divergences: Vec<Trace>) -> Meaning {
    Meaning {
        traces: traces.into_iter().collect(),
        failures: failures.collect(),
        divergences: divergences.into_iter().collect(),
    }
}

fn prefix(a: u8, p: Meaning) -> Meaning {
    let mut out = constant(vec![vec![]], refusals().filter(|x| x & bit(a) == 0).map(|x| (vec![], x)), vec![]);
    out.traces.extend(p.traces.iter().map(|s| join(&[a], s)));
    out.failures.extend(p.failures.iter().map(|(s, x)| (join(&[a], s), *x)));
    out.divergences.extend(p.divergences.iter().map(|s| join(&[a], s)));
    out
}

fn internal(p: Meaning, q: Meaning) -> Meaning {
    Meaning {
        traces: &p.traces | &q.traces,
        failures: &p.failures | &q.failures,
        divergences: &p.divergences | &q.divergences,
    }
}

fn external(p: Meaning, q: Meaning) -> Meaning {
    let both = |f: &(Trace, Events)| !f.0.is_empty() || (p.failures.contains(f) && q.failures.contains(f));
    let mut out = internal(p.clone(), q.clone());
    out.failures.retain(both);
    out
}

fn sliding(p: Meaning, q: Meaning) -> Meaning {
    let mut out = internal(p, q.clone());
    out.failures.retain(|f| !f.0.is_empty() || q.failures.contains(f));
    out
}

fn sequential(p: Meaning, q: Meaning) -> Meaning {
    let mut out = Meaning { divergences: p.divergences.clone(), ..Meaning::default() };
    out.traces.extend(p.traces.iter().filter(|s| !ends(s)).cloned());
    for (s, x) in p.failures.iter().filter(|(s, x)| !ends(s) && x & bit(TICK) != 0) {
        // ✓ is refused too, so P has not terminated; Q's refusal of ✓ does not come into it.
        out.failures.insert((s.clone(), *x));
        out.failures.insert((s.clone(), x & !bit(TICK)));
    }
    for s in p.traces.iter().filter(|s| ends(s)) {
        let before = &s[..s.len() - 1];
        out.traces.extend(q.traces.iter().map(|t| join(before, t)));
        out.failures.extend(q.failures.iter().map(|(t, x)| (join(before, t), *x)));
        out.divergences.extend(q.divergences.iter().map(|t| join(before, t)));
    }
    out
}

fn interrupt(p: Meaning, q: Meaning) -> Meaning {
    let mut out = Meaning { traces: p.traces.clone(), divergences: p.divergences.clone(), ..Meaning::default() };
    for (s, x) in &p.failures {
        if ends(s) || q.failures.contains(&(vec![], *x)) {
            out.failures.insert((s.clone(), *x));
        }
    }
    for s in p.traces.iter().filter(|s| !ends(s)) {
        out.traces.extend(q.traces.iter().map(|t| join(s, t)));
        let acted = q.failures.iter().filter(|(t, _)| !t.is_empty());
        out.failures.extend(acted.map(|(t, x)| (join(s, t), *x)));
        out.divergences.extend(q.divergences.iter().map(|t| join(s, t)));
    }
    out
}

/// All ways to run two traces side by side, meeting on `a` and on ✓.
fn merge(s: &[u8], t: &[u8], a: Events) -> BTreeSet<Trace> {
    let together = |e: u8| (a | bit(TICK)) & bit(e) != 0;
    let mut out = BTreeSet::new();
    match (s.split_first(), t.split_first()) {
        (None, None) => drop(out.insert(vec![])),
        (left, right) => {
            if let Some((&e, rest)) = left
                && !together(e)
            {
                out.extend(merge(rest, t, a).into_iter().map(|u| join(&[e], &u)));
            }
            if let Some((&e, rest)) = right
                && !together(e)
            {
                out.extend(merge(s, rest, a).into_iter().map(|u| join(&[e], &u)));
            }
            if let (Some((&e, s)), Some((&f, t))) = (left, right)
                && e == f
                && together(e)
            {
                out.extend(merge(s, t, a).into_iter().map(|u| join(&[e], &u)));
            }
        }
    }
    out
}

fn parallel(p: Meaning, a: Events, q: Meaning) -> Meaning {
    let shared = a | bit(TICK);
    let mut out = Meaning::default();
    for s in &p.traces {
        for t in &q.traces {
            let merged = merge(s, t, a);
            if p.divergences.contains(s) || q.divergences.contains(t) {
                out.divergences.extend(merged.iter().cloned());
            }
            out.traces.extend(merged);
        }
    }
    for (s, y) in &p.failures {
        for (t, z) in q.failures.iter().filter(|(_, z)| y & !shared == z & !shared) {
            out.failures.extend(merge(s, t, a).into_iter().map(|u| (u, y | z)));
        }
    }
    out
}

fn restricted(p: &Meaning, a: Events) -> Meaning {
    let inside = |s: &Trace| s.iter().all(|&e| (a | bit(TICK)) & bit(e) != 0);
    let mut out = Meaning {
        traces: p.traces.iter().filter(|s| inside(s)).cloned().collect(),
        failures: BTreeSet::new(),
        divergences: p.divergences.iter().filter(|s| inside(s)).cloned().collect(),
    };
    for (s, x) in p.failures.iter().filter(|(s, _)| inside(s)) {
        // What is outside the alphabet is refused whether the process would or not.
        for extra in refusals().filter(|e| e & (a | bit(TICK)) == 0) {
            out.failures.insert((s.clone(), x | extra));
        }
    }
    out
}

/// P keeps to A, Q keeps to B, and they meet on what is in both.
fn alphabetised(p: Meaning, a: Events, b: Events, q: Meaning) -> Meaning {
    let mut out = parallel(restricted(&p, a), a & b, restricted(&q, b));
    // An event of one side alone is refused if that side refuses it; the other side's opinion does not count.
    out.failures = alphabetised_failures(&p, a, b, &q);
    out
}

fn alphabetised_failures(p: &Meaning, a: Events, b: Events, q: &Meaning) -> BTreeSet<(Trace, Events)> {
    let (p, q) = (restricted(p, a), restricted(q, b));
    let mut out = BTreeSet::new();
    for (s, y) in &p.failures {
        for (t, z) in &q.failures {
            let refused = (y & (a | bit(TICK))) | (z & (b | bit(TICK)));
            for u in merge(s, t, a & b) {
                for extra in refusals().filter(|e| e & (a | b | bit(TICK)) == 0) {
                    out.insert((u.clone(), refused | extra));
                }
            }
        }
    }
    out
}

fn without(s: &Trace, a: Events) -> Trace {
    s.iter().copied().filter(|&e| a & bit(e) == 0).collect()
}

fn hide(p: Meaning, a: Events) -> Meaning {
    Meaning {
        traces: p.traces.iter().map(|s| without(s, a)).collect(),
        failures: p
            .failures
            .iter()
            .filter(|(_, x)| x & a == a)
            .flat_map(|(s, x)| {
                let s = without(s, a);
                // X is any set whose union with A is refused: members of A may be left out of it.
                refusals().filter(move |y| y | a == *x).map(move |y| (s.clone(), y))
            })
            .collect(),
        divergences: p.divergences.iter().map(|s| without(s, a)).collect(),
    }
}

fn images(r: &[(u8, u8)], e: u8) -> Vec<u8> {
    let named: Vec<u8> = r.iter().filter(|(from, _)| *from == e).map(|(_, to)| *to).collect();
    if named.is_empty() { vec![e] } else { named }
}

fn renamed(s: &Trace, r: &[(u8, u8)]) -> Vec<Trace> {
    let mut out = vec![vec![]];
    for &e in s {
        out = out.iter().flat_map(|t| images(r, e).into_iter().map(move |i| join(t, &[i]))).collect();
    }
    out
}

fn rename(p: Meaning, r: &[(u8, u8)]) -> Meaning {
    let before =
        |x: Events| (0..=TICK).filter(|&e| images(r, e).iter().any(|&i| x & bit(i) != 0)).fold(0, |m, e| m | bit(e));
    let mut out = Meaning::default();
    out.traces.extend(p.traces.iter().flat_map(|s| renamed(s, r)));
    out.divergences.extend(p.divergences.iter().flat_map(|s| renamed(s, r)));
    for s in &p.traces {
        for x in refusals().filter(|&x| p.failures.contains(&(s.clone(), before(x)))) {
            out.failures.extend(renamed(s, r).into_iter().map(|t| (t, x)));
        }
    }
    out
}

fn exception(p: Meaning, a: Events, q: Meaning) -> Meaning {
    let calm = |s: &[u8]| s.iter().all(|&e| a & bit(e) == 0);
    let mut out = Meaning::default();
    out.traces.extend(p.traces.iter().filter(|s| calm(s)).cloned());
    out.failures.extend(p.failures.iter().filter(|(s, _)| calm(s)).cloned());
    out.divergences.extend(p.divergences.iter().filter(|s| calm(s)).cloned());
    for s in &p.traces {
        let Some((&last, before)) = s.split_last() else { continue };
        if calm(before) && a & bit(last) != 0 {
            out.traces.extend(q.traces.iter().map(|t| join(s, t)));
            out.failures.extend(q.failures.iter().map(|(t, x)| (join(s, t), *x)));
            out.divergences.extend(q.divergences.iter().map(|t| join(s, t)));
        }
    }
    out
}

impl Meaning {
    pub fn diverged(&self, s: &Trace) -> bool {
        self.divergences.iter().any(|d| s.starts_with(d))
    }

    pub fn refined_by_traces(&self, q: &Meaning) -> bool {
        q.traces.is_subset(&self.traces)
    }

    pub fn refined_by_failures(&self, q: &Meaning) -> bool {
        self.refined_by_traces(q) && q.failures.is_subset(&self.failures)
    }

    pub fn refined_by_divergences(&self, q: &Meaning) -> bool {
        q.divergences.iter().all(|d| self.diverged(d))
            && q.traces.iter().all(|s| self.traces.contains(s) || self.diverged(s))
            && q.failures.iter().all(|f| self.failures.contains(f) || self.diverged(&f.0))
    }

    pub fn deadlocks(&self) -> bool {
        self.failures.iter().any(|(s, x)| *x == ALL && !ends(s))
    }

    pub fn deterministic(&self) -> bool {
        let both =
            |s: &Trace, e: u8| self.traces.contains(&join(s, &[e])) && self.failures.contains(&(s.clone(), bit(e)));
        !self.traces.iter().any(|s| (0..=TICK).any(|e| both(s, e)))
    }
}
