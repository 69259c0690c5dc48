//! Asks the solver, and checks what it answers.

use crate::calm;
use crate::encode::Parts;
use crate::goals::Goal;
use crate::model::machine::{Machine, Outcome};
use crate::model::{Model, Modelled, Options, Refused};
use foretrace_ctp::{Action, Ctp, EventId, ThreadId};
use foretrace_order::{Answer, Budget, Lit, Solver, Statistics};

/// How many context switches an order may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switches {
    /// Any number.
    Any,
    /// At most this many; not more than [`Options::switches`].
    AtMost(u32),
}

/// An order that reaches a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The events in this order, up to the goal.
    pub order: Vec<EventId>,
    /// What each read and update of the order saw, with the event.
    pub reads: Vec<(EventId, u64)>,
    /// Which of those that wait is woken by each signal, counted from 0 in the order of threads.
    pub woken: Vec<(EventId, usize)>,
    /// How often the thread changes.
    pub switches: u32,
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It can happen, in this order.
    Yes(Witness),
    /// It cannot happen.
    No {
        /// The proof needed no bound on the number of context switches: it cannot happen with any number of them.
        lifted: bool,
    },
    /// The budget was used up.
    Unknown,
}

/// A program, ready for questions.
pub struct Analysis {
    solver: Solver,
    parts: Parts,
    core: Vec<Lit>,
}

impl Analysis {
    /// Prepares a checked program.
    pub fn new(ctp: &Ctp, options: Options) -> Result<Self, Refused> {
        let mut solver = Solver::default();
        if options.proof {
            solver = solver.with_proof();
        }
        let modelled = Modelled::new(ctp, options.model)?;
        let parts = Parts::new(modelled, options, &mut solver)?;
        Ok(Self { solver, parts, core: Vec::new() })
    }

    /// Whether some order reaches the goal.
    pub fn ask(&mut self, goal: &Goal, budget: &Budget) -> Verdict {
        self.ask_within(goal, Switches::Any, budget)
    }

    /// Whether some order with few context switches reaches the goal: 0, 1, 2, … up to [`Options::switches`], then any
    /// number. Stops early when a proof does not need the bound (6.3).
    pub fn deepen(&mut self, goal: &Goal, budget: &Budget) -> Verdict {
        let bounds = (0..=self.parts.options.switches).filter(|_| self.parts.bound.is_some()).map(Switches::AtMost);
        for switches in bounds.chain([Switches::Any]).collect::<Vec<_>>() {
            match self.ask_within(goal, switches, budget) {
                Verdict::No { lifted: false } => {}
                verdict => return verdict,
            }
        }
        Verdict::No { lifted: true }
    }

    /// Whether some order with this many context switches reaches the goal.
    pub fn ask_within(&mut self, goal: &Goal, switches: Switches, budget: &Budget) -> Verdict {
        self.parts.bounded = switches != Switches::Any;
        let bound = self.bound(switches);
        let Some(mut assumptions) = self.assumptions(goal) else { return Verdict::Unknown };
        assumptions.extend(&bound);
        match self.solver.solve(&assumptions, &mut self.parts, budget) {
            Answer::Unknown => Verdict::Unknown,
            Answer::No(core) => {
                let lifted = !core.iter().any(|lit| bound.contains(lit));
                self.core = core;
                Verdict::No { lifted }
            }
            Answer::Yes => Verdict::Yes(self.witness(goal)),
        }
    }

    /// How much the solver has done.
    pub fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    /// The solver, with its proof.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// The assumptions that the last "no" excludes.
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    /// The program as the model sees it.
    pub fn modelled(&self) -> &Modelled {
        &self.parts.modelled
    }

    fn bound(&self, switches: Switches) -> Vec<Lit> {
        let (Some(bound), Switches::AtMost(most)) = (&self.parts.bound, switches) else { return Vec::new() };
        let unused = bound.used.get(most as usize).map(|used| !*used);
        [bound.counts].into_iter().chain(unused).collect()
    }

    /// What the goal asks for. `None` if a goal is the end of a branch.
    fn assumptions(&mut self, goal: &Goal) -> Option<Vec<Lit>> {
        let (parts, s) = (&mut self.parts, &mut self.solver);
        let mut wanted: Vec<Lit> = goal.done.iter().map(|id| parts.x(*id)).collect();
        for id in &goal.next {
            wanted.extend(parts.reached(s, *id)?);
            wanted.push(!parts.x(*id));
        }
        for (a, b) in &goal.before {
            wanted.extend([parts.x(*a), parts.x(*b)]);
            wanted.push(parts.before(s, *a, *b));
        }
        if let Some(failed) = goal.fails {
            wanted.extend(failure(parts, s, failed)?);
        }
        if parts.whole() {
            for thread in (0..parts.happens.len() as u32).map(ThreadId) {
                let fork = parts.modelled.ctp.forks().get(&thread).copied();
                wanted.extend(parts.last(thread).into_iter().chain(fork).map(|last| parts.x(last)));
            }
        } else {
            let mut others: Vec<_> = parts.fails.iter().filter(|(id, _)| goal.fails != Some(**id)).collect();
            others.sort_unstable();
            wanted.extend(others.into_iter().map(|(_, fails)| !*fails));
        }
        parts.reads(s);
        Some(wanted)
    }

    /// The order that was found, run on the machine. A witness that does not run is a mistake of this crate.
    fn witness(&self, goal: &Goal) -> Witness {
        let (parts, s) = (&self.parts, &self.solver);
        let happened = parts.events().into_iter().filter(|id| parts.chosen(s, *id));
        let mut order: Vec<_> = happened.map(|id| (parts.key(s, id), id)).collect();
        order.sort_unstable();
        let order: Vec<EventId> = order.into_iter().map(|(_, id)| id).collect();
        let order = calm::order(&parts.modelled.ctp, order, goal, parts.options.extent);
        let (reads, woken) = run(&parts.modelled, &order, goal, parts.options);
        let switches = calm::switches(&order);
        Witness { order, reads, woken, switches }
    }
}

/// What must hold for a condition to be reached and not to hold.
fn failure(parts: &mut Parts, s: &mut Solver, failed: EventId) -> Option<Vec<Lit>> {
    if parts.options.model == Model::Relaxed {
        return Some(vec![parts.x(failed)]);
    }
    let Action::Assume(condition) = parts.action(failed) else { return Some(vec![*parts.fails.get(&failed)?]) };
    let mut wanted = parts.reached(s, failed)?;
    wanted.extend([!parts.x(failed), !parts.condition(s, condition)]);
    Some(wanted)
}

type Seen = Vec<(EventId, u64)>;

/// What the reads of an order see, and whom its signals wake; panics if the order is not possible or does not reach the goal.
fn run(modelled: &Modelled, order: &[EventId], goal: &Goal, options: Options) -> (Seen, Vec<(EventId, usize)>) {
    let mut machine = Machine::following(modelled, order);
    let (mut reads, mut woken) = (Vec::new(), Vec::new());
    let mut failed = false;
    for id in order {
        let at = machine.next(id.thread);
        let choice = machine.preferred(id.thread);
        woken.extend(matches!(machine.action(*id), Action::Signal(_)).then_some((*id, choice)));
        let outcome = machine.step(id.thread, choice);
        let possible = at == Some(*id) && outcome.is_some();
        assert!(possible, "the order found is not possible at {}: {at:?} {outcome:?}", modelled.ctp.name(*id));
        failed |= outcome == Some(Outcome::Failed) && goal.fails == Some(*id);
        let read = modelled.ctp.event(*id).action.read();
        reads.extend(read.map(|read| (*id, machine.value(read))));
    }
    let place = |id: &EventId| order.iter().position(|other| other == id);
    assert!(goal.done.iter().all(|id| machine.happened(*id)), "the order found leaves out an event of the goal");
    assert!(goal.before.iter().all(|(a, b)| place(a) < place(b)), "the order found has another order than the goal");
    assert!(goal.next.iter().all(|id| machine.next(id.thread) == Some(*id)), "the order found stops elsewhere");
    let stops = |id: EventId| match machine.action(id) {
        _ if options.model == Model::Relaxed => true,
        Action::Assume(condition) => machine.next(id.thread) == Some(id) && machine.evaluate(condition) == 0,
        _ => failed,
    };
    assert!(goal.fails.is_none_or(stops), "the condition holds in the order found");
    (reads, woken)
}
