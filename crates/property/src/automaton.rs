//! An instance of a property: a deterministic automaton over some letters of a run.

use rustc_hash::FxHashMap;

/// A complete deterministic automaton over the letters that it knows. State 0 is the initial one; the last state means
/// that the property is violated, and has no way out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    states: usize,
    letters: usize,
    next: Vec<u32>,
}

impl Automaton {
    /// An automaton of this many states, in which every letter leads where the function says.
    pub fn new(states: usize, letters: usize, next: impl Fn(usize, usize) -> usize) -> Self {
        let bad = states - 1;
        let of = |state: usize| (0..letters).map(move |letter| (state, letter));
        let target = |(state, letter)| if state == bad { bad } else { next(state, letter) };
        let next = (0..states).flat_map(of).map(|at| target(at) as u32).collect();
        Self { states, letters, next }
    }

    /// How many letters it knows.
    pub fn letters(&self) -> usize {
        self.letters
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The state that means a violation.
    pub fn violated(&self) -> u32 {
        self.states() as u32 - 1
    }

    /// The state after a letter.
    pub fn next(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * self.letters + letter]
    }

    /// Does the letter change any state?
    pub fn matters(&self, letter: usize) -> bool {
        (0..self.states() as u32).any(|state| self.next(state, letter) != state)
    }

    /// Do the two letters lead to the same state in either order, from every state?
    pub fn commute(&self, one: usize, other: usize) -> bool {
        let both = |state, a, b| self.next(self.next(state, a), b);
        (0..self.states() as u32).all(|state| both(state, one, other) == both(state, other, one))
    }

    /// Can letters lead to a violation from the initial state at all?
    pub fn can_be_violated(&self) -> bool {
        let mut seen = vec![false; self.states()];
        let mut open = vec![0u32];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                open.extend((0..self.letters).map(|letter| self.next(state, letter)));
            }
        }
        self.letters > 0 && seen[self.violated() as usize]
    }

    /// The smallest automaton with the same violations, by refinement of partitions (Moore).
    pub fn minimised(&self) -> Self {
        if self.letters == 0 {
            return self.clone();
        }
        let bad = self.violated();
        let mut class: Vec<u32> = (0..=bad).map(|state| u32::from(state == bad)).collect();
        loop {
            let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let mut signature = |state: u32| {
                let after = (0..self.letters).map(|letter| class[self.next(state, letter) as usize]);
                let key: Vec<u32> = std::iter::once(class[state as usize]).chain(after).collect();
                let next = numbers.len() as u32;
                *numbers.entry(key).or_insert(next)
            };
            let refined: Vec<u32> = (0..=bad).map(&mut signature).collect();
            let (before, after) = (class.iter().max(), refined.iter().max());
            if before == after {
                return self.quotient(&class);
            }
            class = refined;
        }
    }

    /// One state for each class: the initial one first, the violated one last.
    fn quotient(&self, class: &[u32]) -> Self {
        let bad_class = class[self.violated() as usize];
        let mut order: Vec<u32> = Vec::new();
        for &number in class {
            if number != bad_class && !order.contains(&number) {
                order.push(number);
            }
        }
        order.push(bad_class);
        let place = |number: u32| order.iter().position(|other| *other == number).expect("every class is in the list");
        let member =
            |place: usize| class.iter().position(|number| *number == order[place]).expect("a class has members");
        Self::new(order.len(), self.letters, |state, letter| {
            place(class[self.next(member(state) as u32, letter) as usize])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_become_one() {
        // States 0 and 1 behave alike: letter 0 leads from 2 to the violation, letter 1 leads there.
        let automaton = Automaton::new(4, 2, |state, letter| match (state, letter) {
            (0, 0) => 1,
            (1, 0) => 0,
            (_, 1) => 2,
            _ => 3,
        });
        let small = automaton.minimised();
        assert_eq!((small.states(), small.violated()), (3, 2));
        for word in 0..64u32 {
            let run = |automaton: &Automaton| {
                let letters = (0..6).map(|at| (word >> at & 1) as usize);
                letters.fold(0, |state, letter| automaton.next(state, letter)) == automaton.violated()
            };
            assert_eq!(run(&automaton), run(&small), "{word:b}");
        }
        assert!(small.can_be_violated());
    }
}
