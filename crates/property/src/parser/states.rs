//! Properties as states: which events are allowed in each, and where they lead.

use super::Parser;
use crate::ast::{Events, Rule};
use crate::error::{Place, PropertyError};

/// What is written for one state.
struct Line {
    from: String,
    edges: Vec<(Events, String, Place)>,
}

/// A property has at most this many states.
const MOST_STATES: usize = 1 << 12;

impl Parser<'_> {
    /// `states { NAME: EVENT -> NAME, EVENT -> NAME ; ... }`; the first state is the initial one.
    pub(super) fn states(&mut self) -> Result<Rule, PropertyError> {
        self.expect_sign("{")?;
        let mut lines: Vec<Line> = Vec::new();
        loop {
            while self.accept_end_of_item() {}
            if self.accept_sign("}") {
                break;
            }
            let place = self.place();
            let line = self.state()?;
            if lines.iter().any(|other| other.from == line.from) {
                return Err(place
                    .error(format!("the state `{}` is written twice; write all its events in one place", line.from)));
            }
            lines.push(line);
            if lines.len() > MOST_STATES {
                return Err(place.error(format!("a property has at most {MOST_STATES} states")));
            }
        }
        let names: Vec<String> = lines.iter().map(|line| line.from.clone()).collect();
        if names.is_empty() {
            return Err(self.unexpected("at least one state before this"));
        }
        let mut edges = Vec::new();
        for (from, line) in lines.into_iter().enumerate() {
            for (events, to, place) in line.edges {
                let to = names.iter().position(|name| *name == to).ok_or_else(|| {
                    place.error(format!("there is no state `{to}`; the states are {}", names.join(", ")))
                })?;
                edges.push((from, events, to));
            }
        }
        Ok(Rule::States { names, edges })
    }

    fn state(&mut self) -> Result<Line, PropertyError> {
        let from = self.any_name("the name of a state")?;
        self.expect_sign(":")?;
        let mut edges = Vec::new();
        if matches!(self.token(), crate::lexer::Token::Line) || self.token() == &crate::lexer::Token::Sign("}") {
            return Ok(Line { from, edges });
        }
        loop {
            let events = self.events()?;
            if !self.accept_sign("->") && !self.accept_sign("→") {
                return Err(self.unexpected("`->` and the next state"));
            }
            let place = self.place();
            edges.push((events, self.any_name("the name of a state")?, place));
            if !self.accept_sign(",") {
                return Ok(Line { from, edges });
            }
            self.skip_lines();
        }
    }
}
