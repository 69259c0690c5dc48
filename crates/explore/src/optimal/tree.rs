//! Wake-up trees: the sequences that are still to be explored from a state (Abdulla and others, JACM'17, section 6).

use super::event::Event;
use super::history::History;
use crate::plan::Choice;
use foretrace_event::ThreadId;
use foretrace_event::visible::Operation;

/// An element of a sequence to be inserted.
#[derive(Clone, Debug)]
pub struct Element {
    pub choice: Choice,
    pub operation: Operation,
    /// The position in the history; of the reversed event, [`Element::REVERSED`].
    pub at: u32,
    /// Of the reversed event, what enables it.
    enablers: Vec<u32>,
}

impl Element {
    const REVERSED: u32 = u32::MAX;

    /// An event of the history.
    pub fn of(history: &History, at: u32) -> Self {
        let event = &history.events[at as usize];
        Self { choice: event.choice(), operation: event.operation, at, enablers: Vec::new() }
    }

    /// The event that now comes first, as it will happen. Its default alternative can always happen; the others are
    /// found when it does.
    pub fn reversed(event: &Event, operation: Operation, enablers: Vec<u32>) -> Self {
        Self { choice: Choice::of(event.thread), operation, at: Self::REVERSED, enablers }
    }

    /// Does an earlier element of the sequence have to stay before this one?
    fn follows(&self, earlier: &Self, history: &History) -> bool {
        if self.at != Self::REVERSED {
            return history.is_before(earlier.at, self.at);
        }
        earlier.choice.thread == self.choice.thread
            || earlier.operation.conflicts_with(&self.operation)
            || self.enablers.contains(&earlier.at)
    }
}

/// Do two operations of different threads conflict, whichever comes first?
pub fn conflict(a: &Operation, b: &Operation) -> bool {
    a.conflicts_with(b) || b.conflicts_with(a)
}

/// Where a thread's first event stands in a sequence.
enum Stand {
    /// It can come first.
    Initial(usize),
    /// Something in the sequence has to come before it.
    Later,
    /// It is not in the sequence, and could be added in front or at the end.
    Independent,
    /// It is not in the sequence, and conflicts with it.
    Conflicting,
}

fn stand(sequence: &[Element], thread: ThreadId, operation: &Operation, history: &History) -> Stand {
    let Some(at) = sequence.iter().position(|element| element.choice.thread == thread) else {
        let conflicts = sequence.iter().any(|element| conflict(&element.operation, operation));
        return if conflicts { Stand::Conflicting } else { Stand::Independent };
    };
    let element = &sequence[at];
    let later = sequence[..at].iter().any(|earlier| element.follows(earlier, history));
    if later { Stand::Later } else { Stand::Initial(at) }
}

/// Could a sleeping thread come first? Then what the sequence leads to has been explored. If sequences were cut short, that
/// holds for threads that are not in the sequence only if they were explored in this very state.
pub fn covers(sleeper: &(ThreadId, Operation), here: bool, sequence: &[Element], history: &History) -> bool {
    match stand(sequence, sleeper.0, &sleeper.1, history) {
        Stand::Initial(_) => true,
        Stand::Independent => here,
        Stand::Later | Stand::Conflicting => false,
    }
}

/// A decision, and the operation that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    pub choice: Choice,
    pub operation: Operation,
}

/// A branch: decisions to be taken one after the other, then one of its children. Without children it may go on in any
/// way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Never empty.
    pub labels: Vec<Label>,
    pub children: Vec<Self>,
}

impl Branch {
    /// A branch of one decision.
    pub fn single(choice: Choice, operation: Operation) -> Self {
        Self { labels: vec![Label { choice, operation }], children: Vec::new() }
    }

    pub fn first(&self) -> Choice {
        self.labels[0].choice
    }

    /// How many decisions it stands for.
    pub fn size(&self) -> usize {
        self.labels.len() + self.children.iter().map(Self::size).sum::<usize>()
    }

    /// Divides the labels, so that other branches can begin there.
    fn split(&mut self, at: usize) {
        let labels = self.labels.split_off(at);
        self.labels.shrink_to_fit();
        let children = std::mem::take(&mut self.children);
        self.children.push(Self { labels, children });
    }

    /// How many labels the sequence agrees with. What it contains of them is removed from it.
    fn follow(&self, sequence: &mut Vec<Element>, history: &History) -> usize {
        let agrees = |label: &&Label| match stand(sequence, label.choice.thread, &label.operation, history) {
            Stand::Initial(at) if sequence[at].choice == label.choice => {
                sequence.remove(at);
                true
            }
            Stand::Independent => true,
            _ => false,
        };
        self.labels.iter().take_while(agrees).count()
    }
}

/// Adds a sequence to the branches of a state, unless they contain an equivalent; of what is new, at most so many
/// decisions. How many were added.
///
/// A sequence that is cut short still leads to all that the whole one leads to, and to more, some of which may have been
/// explored.
pub fn insert(mut branches: &mut Vec<Branch>, mut sequence: Vec<Element>, history: &History, most: usize) -> usize {
    loop {
        let follow = |branch: &Branch| branch.follow(&mut sequence, history);
        let found = branches.iter().map(follow).enumerate().find(|&(_, agreed)| agreed > 0);
        let Some((at, agreed)) = found else { break };
        if sequence.is_empty() {
            return 0;
        }
        let branch = &mut branches[at];
        if agreed < branch.labels.len() {
            branch.split(agreed);
        } else if branch.children.is_empty() {
            return 0;
        }
        branches = &mut branch.children;
    }
    let label = |element: Element| Label { choice: element.choice, operation: element.operation };
    let mut labels: Vec<Label> = sequence.into_iter().take(most).map(label).collect();
    labels.shrink_to_fit();
    let added = labels.len();
    branches.push(Branch { labels, children: Vec::new() });
    added
}
