//! Events in properties.

use super::{KEYWORDS, Parser};
use crate::ast::{Arg, By, Event, Events};
use crate::datum::Datum;
use crate::error::{Place, PropertyError};
use crate::lexer::Token;

impl Parser<'_> {
    /// `EVENT { or EVENT }`.
    pub(super) fn events(&mut self) -> Result<Events, PropertyError> {
        let mut events = vec![self.event()?];
        while self.accept("or") {
            events.push(self.event()?);
        }
        Ok(events)
    }

    fn event(&mut self) -> Result<Event, PropertyError> {
        let place = self.place();
        let name = self.name("an event")?;
        let (args, open) = if self.accept_sign("(") { self.args()? } else { (None, false) };
        let by = if self.accept_sign("@") { self.thread()? } else { By::Any };
        Ok(Event { place, name, args, open, by })
    }

    /// A word that is not a keyword.
    pub(super) fn name(&mut self, expected: &str) -> Result<String, PropertyError> {
        match self.token() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let name = word.clone();
                self.step();
                Ok(name)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Any word: where no keyword can stand, a keyword is a name too.
    pub(super) fn any_name(&mut self, expected: &str) -> Result<String, PropertyError> {
        let Token::Word(word) = self.token() else { return Err(self.unexpected(expected)) };
        let name = word.clone();
        self.step();
        Ok(name)
    }

    fn thread(&mut self) -> Result<By, PropertyError> {
        let other = self.accept_sign("!");
        let name = self.any_name("the name of a thread variable, as in `@t` or `@!t`")?;
        Ok(if other { By::Other(name) } else { By::Thread(name) })
    }

    fn args(&mut self) -> Result<(Option<Vec<Arg>>, bool), PropertyError> {
        let mut args = Vec::new();
        if self.accept_sign(")") {
            return Ok((Some(args), false));
        }
        loop {
            if self.accept_sign("..") || self.accept_sign("...") || self.accept_sign("…") {
                self.expect_sign(")")?;
                return Ok((Some(args), true));
            }
            args.push(self.arg()?);
            if self.accept_sign(")") {
                return Ok((Some(args), false));
            }
            if !self.accept_sign(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn arg(&mut self) -> Result<Arg, PropertyError> {
        let arg = match self.token() {
            Token::Word(word) if word == "_" => Arg::Any,
            Token::Word(word) => Arg::Var(word.clone()),
            Token::Number(number) => Arg::Is(Datum::Number(*number)),
            Token::Text(text) => Arg::Is(Datum::Text(text.as_str().into())),
            _ => return Err(self.unexpected("a variable, a number, a text, `_` or `..`")),
        };
        self.step();
        Ok(arg)
    }
}

/// Events that end what these begin, by their names.
const OPPOSITES: [(&str, &str); 9] = [
    ("lock", "unlock"),
    ("acquire", "release"),
    ("open", "close"),
    ("begin", "end"),
    ("enter", "exit"),
    ("take", "give"),
    ("grant", "cancel"),
    ("get", "put"),
    ("start", "stop"),
];

/// The events that give back what these take.
pub(super) fn opposites(place: Place, takes: &Events) -> Result<Events, PropertyError> {
    let opposite = |event: &Event| {
        let known = OPPOSITES.iter().find(|(takes, _)| *takes == event.name);
        let name = known.map(|(_, gives)| (*gives).to_owned());
        name.map(|name| Event { name, ..event.clone() }).ok_or_else(|| {
            place.error(format!(
                "which event gives back what `{}` takes? add `until` and that event, as in `until release(r)`",
                event.name
            ))
        })
    };
    takes.iter().map(opposite).collect()
}
