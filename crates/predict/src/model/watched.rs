//! A property that runs along: some operations are letters of its automaton.
//!
//! Custom events order nothing, so without a property they belong to segments. With one, the events that its automaton
//! knows are operations of their own, because their order matters to it.

use foretrace_property::Automaton;

use super::{Chain, Program};

/// Stands for an operation that the automaton does not know.
pub(crate) const NO_LETTER: u32 = u32::MAX;

/// A watched property.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    automaton: Automaton,
    /// The states from which letters can lead to a violation.
    live: Vec<bool>,
    /// For each letter: the threads with letters that do not commute with it, and the last position of such a letter.
    rivals: Vec<Vec<(u32, u32)>>,
}

impl Watched {
    pub(super) fn new(automaton: &Automaton, chains: &[Chain]) -> Self {
        let rivals = (0..automaton.letters()).map(|letter| rivals(automaton, chains, letter)).collect();
        Self { automaton: automaton.clone(), live: live(automaton), rivals }
    }

    /// The threads whose letters do not commute with this one, each with the last position of such a letter.
    pub(crate) fn rivals(&self, letter: u32) -> &[(u32, u32)] {
        &self.rivals[letter as usize]
    }

    /// Can the property still be violated, and is it not yet?
    pub(crate) fn is_open(&self, at: u32) -> bool {
        at != self.violated() && self.live[at as usize]
    }

    /// The state that means a violation.
    pub(crate) fn violated(&self) -> u32 {
        self.automaton.violated()
    }
}

fn rivals(automaton: &Automaton, chains: &[Chain], letter: usize) -> Vec<(u32, u32)> {
    let is_rival = |other: u32| other != NO_LETTER && !automaton.commute(letter, other as usize);
    let last = |chain: &Chain| chain.letters.iter().rposition(|other| is_rival(*other));
    let of = |(thread, chain): (usize, &Chain)| last(chain).map(|position| (thread as u32, position as u32));
    chains.iter().enumerate().filter_map(of).collect()
}

fn live(automaton: &Automaton) -> Vec<bool> {
    let mut live = vec![false; automaton.states()];
    live[automaton.violated() as usize] = true;
    loop {
        let leads = |state: u32| (0..automaton.letters()).any(|letter| live[automaton.next(state, letter) as usize]);
        let more: Vec<usize> = (0..automaton.states()).filter(|state| !live[*state] && leads(*state as u32)).collect();
        if more.is_empty() {
            return live;
        }
        more.into_iter().for_each(|state| live[state] = true);
    }
}

impl Program {
    /// The automaton's state after the operation of a thread at a position.
    #[inline]
    pub(crate) fn next_at(&self, at: u32, thread: usize, position: u32) -> u32 {
        let Some(watched) = &self.watched else { return at };
        match self.chain(thread).letters[position as usize] {
            NO_LETTER => at,
            letter => watched.automaton.next(at, letter as usize),
        }
    }

    /// The states of the automaton from which that operation leads to this one.
    pub(crate) fn at_before(&self, at: u32, thread: usize, position: u32) -> impl Iterator<Item = u32> + '_ {
        let states = self.watched.as_ref().map_or(1, |watched| watched.automaton.states() as u32);
        (0..states).filter(move |before| self.next_at(*before, thread, position) == at)
    }
}
