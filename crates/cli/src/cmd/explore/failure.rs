//! What failed in an execution, and what makes two failures the same.

use foretrace_event::visible::{OpKind, Operation};
use foretrace_explore::{Choice, End, Execution, Minimised, RaceSeen};
use std::fmt;
use std::ops::Range;

/// What kind of failure it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A race.
    Race,
    /// Threads that can never go on.
    Stuck,
    /// The program died.
    Death,
    /// A region was broken.
    Region,
}

/// What makes two failures the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Failure {
    /// Two places that raced.
    Race([u64; 2]),
    /// Threads that can never go on, by what they wait for.
    Stuck(Vec<(OpKind, u64)>),
    /// A signal, after a step at this place.
    Death(i32, u64),
}

/// How a failure comes about.
#[derive(Clone)]
pub struct Failing {
    /// The decisions that lead to it.
    pub choices: Vec<Choice>,
    /// How often they go from one thread to another.
    pub switches: usize,
    /// The plain memory that was visible.
    pub visible: Vec<Range<u64>>,
    /// What of it matters, if that was found out.
    pub minimised: Option<Minimised>,
}

impl Kind {
    /// In a line about the search.
    pub fn says(self) -> &'static str {
        match self {
            Self::Race => "has a data race",
            Self::Stuck => "leaves threads that can never go on",
            Self::Death => "ends the program by a signal",
            Self::Region => "breaks a region",
        }
    }
}

impl Failure {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Race(_) => Kind::Race,
            Self::Stuck(_) => Kind::Stuck,
            Self::Death(..) => Kind::Death,
        }
    }

    /// All failures of an execution.
    pub fn all(execution: &Execution) -> Vec<Self> {
        let end = match &execution.end {
            End::Deadlock | End::Livelock => Some(Self::stuck(execution)),
            End::Crashed { signal } => Some(Self::Death(*signal, execution.steps.last().map_or(0, |step| step.place))),
            _ => None,
        };
        execution.races.iter().map(Self::race).chain(end).collect()
    }

    fn race(race: &RaceSeen) -> Self {
        let mut places = [race.first_place, race.second_place];
        places.sort_unstable();
        Self::Race(places)
    }

    fn stuck(execution: &Execution) -> Self {
        let wanted = |(_, operation): &(_, Operation)| (operation.kind, operation.object.0);
        let mut wanted: Vec<_> = execution.pending.iter().map(wanted).collect();
        wanted.sort_unstable();
        Self::Stuck(wanted)
    }
}

impl Failing {
    /// By these decisions.
    pub fn new(choices: Vec<Choice>, visible: &[Range<u64>]) -> Self {
        let switches = choices.windows(2).filter(|two| two[0].thread != two[1].thread).count();
        Self { choices, switches, visible: visible.to_vec(), minimised: None }
    }
}

/// One word: `race:401136:40115a`, `stuck:lock@404060,join@2`, `death:6:40115a`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Race([one, other]) => write!(f, "race:{one:x}:{other:x}"),
            Self::Stuck(wanted) => {
                let words: Vec<_> = wanted.iter().map(|(kind, object)| format!("{}@{object:x}", kind.name())).collect();
                write!(f, "stuck:{}", words.join(","))
            }
            Self::Death(signal, place) => write!(f, "death:{signal}:{place:x}"),
        }
    }
}

impl Failure {
    /// From such a word.
    pub fn from_word(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
        let wanted = |word: &str| {
            let (kind, object) = word.split_once('@')?;
            Some((OpKind::from_name(kind)?, hexadecimal(object)?))
        };
        if kind == "stuck" {
            let words = rest.split(',').filter(|word| !word.is_empty());
            return words.map(wanted).collect::<Option<_>>().map(Self::Stuck);
        }
        let (one, other) = rest.split_once(':')?;
        match kind {
            "race" => Some(Self::Race([hexadecimal(one)?, hexadecimal(other)?])),
            "death" => Some(Self::Death(one.parse().ok()?, hexadecimal(other)?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_comes_back_from_its_text() {
        let stuck = Failure::Stuck(vec![(OpKind::Lock, 0x4010), (OpKind::Join, 2)]);
        for failure in [Failure::Race([1, 0x4000]), stuck, Failure::Stuck(Vec::new()), Failure::Death(6, 0)] {
            assert_eq!(Failure::from_word(&failure.to_string()), Some(failure));
        }
        for bad in ["", "race:1", "stuck:what@1", "death:x:1", "other:1:1"] {
            assert_eq!(Failure::from_word(bad), None, "{bad}");
        }
    }
}
