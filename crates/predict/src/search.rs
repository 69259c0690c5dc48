//! Search over cuts.
//!
//! Every operation raises the sum of a cut's positions by one, so the reachable states form levels, and a state can
//! only recur in its own level. The search goes level by level, stores states packed in a few machine words, and needs
//! no hash table: the successors of a sorted level by one thread are again sorted, because each is its predecessor plus
//! a constant. So the next level is a merge of as many lists as there are threads.
//!
//! **Reduction.** Of the ready threads, a strong stubborn set (Valmari) suffices: [`stubborn`]. For deadlocks, any such
//! set will do, and all deadlocks are kept. For a goal (some threads at given positions), the set is grown from a
//! thread that is not yet there: if it contains no ready thread, the goal is unreachable from this state; otherwise,
//! the threads outside the set can wait. For a watched property, letters of its automaton that do not commute are
//! dependent, so every complete run that is left out has the same sequence of letters, up to commuting ones, as one that
//! is kept; and a run that violates the property can be completed. Cycles cannot occur, so no proviso is needed.

mod levels;
mod packing;
mod stubborn;

use crate::budget::{Budget, Unknown};
use crate::model::{Program, State};

pub use stubborn::Uses;

/// Which of the ready threads are tried at a state.
#[derive(Clone, Debug)]
pub enum Mode {
    /// All of them.
    All,
    /// Enough to find every state at which nothing can take place.
    Dead,
    /// Enough to violate the watched property, if it can be violated.
    Violation,
    /// Enough to reach these positions, thread by thread.
    Goal(Vec<(usize, u32)>),
    /// All of them, until these positions are reached.
    GoalInAll(Vec<(usize, u32)>),
}

/// What to search.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where to begin.
    pub start: State,
    /// No thread goes beyond its position here.
    pub caps: Vec<u32>,
    /// Which ready threads to try.
    pub mode: Mode,
    /// Keep the data that a path to a state is reconstructed from.
    pub paths: bool,
}

impl Query {
    /// Everything.
    pub fn all(program: &Program) -> Self {
        let caps = (0..program.threads()).map(|thread| program.len(thread)).collect();
        Self { start: program.initial(), caps, mode: Mode::All, paths: false }
    }

    /// Every dead end.
    pub fn dead(program: &Program) -> Self {
        Self { mode: Mode::Dead, paths: true, ..Self::all(program) }
    }

    /// Every violation of the watched property, or one for each way to it that matters.
    pub fn violation(program: &Program, partial_order: bool) -> Self {
        let mode = if partial_order { Mode::Violation } else { Mode::All };
        Self { mode, paths: true, ..Self::all(program) }
    }

    /// Some threads at some positions at once.
    pub fn goal(program: &Program, goal: Vec<(usize, u32)>) -> Self {
        let mut query = Self { paths: true, ..Self::all(program) };
        goal.iter().for_each(|&(thread, position)| query.caps[thread] = query.caps[thread].min(position));
        query.mode = Mode::Goal(goal);
        query
    }
}

/// A state that is being visited.
pub struct Visit<'a> {
    /// The state.
    pub state: &'a State,
    /// Nothing can take place at it.
    pub dead: bool,
}

/// What a visitor asks for next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// More states.
    More,
    /// The path to this state, and more states.
    Path,
    /// The path to this state, and no more states.
    PathAndStop,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// Visited states.
    pub states: u64,
    /// The requested paths, each as threads in the order of their steps, from the start.
    pub paths: Vec<Vec<u32>>,
    /// Why not all states were visited.
    pub unknown: Option<Unknown>,
}

/// Searches, and passes every visited state to the visitor.
pub fn search(
    program: &Program,
    uses: &Uses,
    query: &Query,
    budget: &Budget,
    visitor: &mut dyn FnMut(Visit<'_>) -> Wish,
) -> Searched {
    levels::run(program, uses, query, budget, visitor)
}

/// Can the watched property be violated? The path there, if so.
pub fn violate(
    program: &Program,
    uses: &Uses,
    query: &Query,
    budget: &Budget,
) -> (Result<Option<Vec<u32>>, Unknown>, u64) {
    let violated = program.watched.as_ref().expect("a property is watched").violated();
    let mut visitor = |visit: Visit<'_>| if visit.state.at == violated { Wish::PathAndStop } else { Wish::More };
    let mut searched = search(program, uses, query, budget, &mut visitor);
    let answer = match (searched.paths.pop(), searched.unknown) {
        (Some(path), _) => Ok(Some(path)),
        (None, Some(why)) => Err(why),
        (None, None) => Ok(None),
    };
    (answer, searched.states)
}

/// Can some threads be at some positions at once? The path there, if so.
pub fn reach(
    program: &Program,
    uses: &Uses,
    query: &Query,
    budget: &Budget,
) -> (Result<Option<Vec<u32>>, Unknown>, u64) {
    let (Mode::Goal(goal) | Mode::GoalInAll(goal)) = &query.mode else { panic!("only goals are reached") };
    let there = |state: &State| goal.iter().all(|&(thread, position)| state.cut[thread] == position);
    let mut visitor = |visit: Visit<'_>| if there(visit.state) { Wish::PathAndStop } else { Wish::More };
    let mut searched = search(program, uses, query, budget, &mut visitor);
    let answer = match (searched.paths.pop(), searched.unknown) {
        (Some(path), _) => Ok(Some(path)),
        (None, Some(why)) => Err(why),
        (None, None) => Ok(None),
    };
    (answer, searched.states)
}
