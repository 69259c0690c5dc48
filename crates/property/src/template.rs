//! What a pattern is compiled to: an automaton whose edges are labelled with patterns of events, with variables.

use crate::datum::{Datum, Letter};

/// A variable of a template, by number.
pub type Var = usize;

/// The number of a state.
pub type StateId = usize;

/// What a value of an event must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// Anything.
    Any,
    /// The value of a variable.
    Var(Var),
    /// This.
    Is(Datum),
}

/// Which thread must perform an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Any.
    Any,
    /// The thread that the variable stands for.
    Thread(Var),
    /// Another thread than that.
    Other(Var),
}

/// A pattern of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventPattern {
    /// The name; none for any event.
    pub name: Option<Box<str>>,
    /// The values; none if any number of values fits.
    pub args: Option<Vec<Arg>>,
    /// There may be more values than these.
    pub open: bool,
    /// Who performs it.
    pub by: By,
}

impl EventPattern {
    /// May this letter fit, for some values of the variables? Does not compare variables.
    pub fn fits(&self, letter: &Letter) -> bool {
        if self.name.as_ref().is_some_and(|name| *name != letter.name) {
            return false;
        }
        let Some(args) = &self.args else { return true };
        let count = letter.values.len();
        (count == args.len() || (self.open && count > args.len()))
            && args.iter().zip(&letter.values).all(|(arg, value)| !matches!(arg, Arg::Is(other) if other != value))
    }

    /// The variables it binds, each with the value that this letter gives it; none if one variable got two values.
    pub fn bind(&self, letter: &Letter) -> Option<Vec<(Var, Datum)>> {
        let mut bound: Vec<(Var, Datum)> = Vec::new();
        let values = self.args.iter().flatten().zip(&letter.values);
        let vars = values.filter_map(|(arg, value)| match arg {
            Arg::Var(var) => Some((*var, value.clone())),
            _ => None,
        });
        let thread = match self.by {
            By::Thread(var) => Some((var, Datum::Number(letter.thread.into()))),
            _ => None,
        };
        for (var, value) in vars.chain(thread) {
            match bound.iter().find(|(other, _)| *other == var) {
                Some((_, other)) if *other != value => return None,
                Some(_) => {}
                None => bound.push((var, value)),
            }
        }
        bound.sort();
        Some(bound)
    }

    /// The variables it binds, in order.
    pub fn vars(&self) -> Vec<Var> {
        let args = self.args.iter().flatten().filter_map(|arg| if let Arg::Var(var) = arg { Some(*var) } else { None });
        let thread = if let By::Thread(var) = self.by { Some(var) } else { None };
        let mut vars: Vec<Var> = args.chain(thread).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Does the thread of a letter fit, given the values of all variables?
    pub fn allows_thread(&self, letter: &Letter, values: &[Datum]) -> bool {
        let is = |var: Var| values[var] == Datum::Number(letter.thread.into());
        match self.by {
            By::Any => true,
            By::Thread(var) => is(var),
            By::Other(var) => !is(var),
        }
    }
}

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To this state.
    State(StateId),
    /// The property is violated.
    Violated,
}

/// An edge: in this state, an event that fits leads there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: StateId,
    /// The number of its pattern.
    pub pattern: usize,
    /// Where it leads.
    pub to: Target,
}

/// How the violation of a pattern is decided without a search, where its form allows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Linear {
    /// Some event that fits one of the second patterns comes after one that fits one of the first.
    After { first: Vec<usize>, then: Vec<usize> },
    /// Some event that fits one of the second patterns comes before all that fit one of the first.
    Missing { first: Vec<usize>, then: Vec<usize> },
    /// Between an event of the first patterns and the next event of the last patterns, both by one thread, comes one of
    /// the middle patterns.
    Between { begin: Vec<usize>, middle: Vec<usize>, end: Vec<usize> },
}

/// A property with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// Its name.
    pub name: Box<str>,
    /// The property in its author's words.
    pub says: Box<str>,
    /// The names of the variables; those of threads begin with `@`.
    pub vars: Vec<Box<str>>,
    /// The names of the states; the first one is the initial one.
    pub states: Vec<Box<str>>,
    /// All patterns of events.
    pub patterns: Vec<EventPattern>,
    /// The edges; of those that fit, the first one counts.
    pub edges: Vec<Edge>,
    /// Is an event that fits a pattern, but no edge of the state, a violation? Otherwise it changes nothing.
    pub strict: bool,
    /// How it is decided in one pass over a run.
    pub linear: Option<Linear>,
}

impl Template {
    /// The names of the events that it mentions.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().filter_map(|pattern| pattern.name.as_deref())
    }
}
