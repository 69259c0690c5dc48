//! From words to properties. `docs/properties.md` has the grammar.

mod events;
mod states;

use crate::ast::{Before, Events, Property, Rule};
use crate::error::{Place, PropertyError};
use crate::lexer::{Spanned, Token, tokens};

/// Words that begin something or join events, so no event is called so.
const KEYWORDS: [&str; 19] = [
    "never",
    "after",
    "until",
    "before",
    "at",
    "most",
    "one",
    "holder",
    "of",
    "comes",
    "anything",
    "but",
    "atomic",
    "against",
    "serialisable",
    "in",
    "or",
    "states",
    "property",
];

/// Reads a file of properties.
pub(crate) fn parse(text: &str) -> Result<Vec<Property>, PropertyError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, at: 0 };
    let mut properties = Vec::new();
    loop {
        while parser.accept_end_of_item() {}
        if *parser.token() == Token::End {
            return Ok(properties);
        }
        properties.push(parser.property()?);
        if !parser.accept_end_of_item() {
            return Err(parser.unexpected("the end of the line or `;`"));
        }
    }
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Spanned>,
    at: usize,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn after(&self, more: usize) -> &Token {
        &self.tokens[(self.at + more).min(self.tokens.len() - 1)].token
    }

    fn place(&self) -> Place {
        self.tokens[self.at].place
    }

    fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn unexpected(&self, expected: &str) -> PropertyError {
        self.place().error(format!("expected {expected}, found {}", self.token().shown()))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found == word)
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.step();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), PropertyError> {
        if self.accept(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn accept_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.token(), Token::Sign(found) if *found == sign);
        if found {
            self.step();
        }
        found
    }

    fn expect_sign(&mut self, sign: &str) -> Result<(), PropertyError> {
        if self.accept_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn skip_lines(&mut self) {
        while *self.token() == Token::Line {
            self.step();
        }
    }

    fn accept_end_of_item(&mut self) -> bool {
        let found = *self.token() == Token::Line;
        if found {
            self.step();
        }
        found || self.accept_sign(";")
    }

    fn property(&mut self) -> Result<Property, PropertyError> {
        let starts_with_property = self.accept("property");
        let name = match (self.token(), self.after(1)) {
            (Token::Word(name), Token::Sign(":")) => Some(name.clone()),
            _ if starts_with_property => return Err(self.unexpected("a name and `:`")),
            _ => None,
        };
        if name.is_some() {
            self.step();
            self.step();
            self.skip_lines();
        }
        let start = self.tokens[self.at].bytes.0;
        let rule = self.rule()?;
        let end = self.tokens[self.at - 1].bytes.1;
        let words: Vec<&str> = self.text[start..end].split_whitespace().collect();
        Ok(Property { name, says: words.join(" "), rule })
    }

    fn rule(&mut self) -> Result<Rule, PropertyError> {
        if self.accept("never") {
            self.never()
        } else if self.accept("at") {
            self.one_holder()
        } else if self.accept("after") {
            self.comes()
        } else if self.accept("atomic") {
            self.atomic()
        } else if self.accept("serialisable") {
            self.serialisable()
        } else if self.accept("states") {
            self.states()
        } else {
            self.chain()
        }
    }

    fn never(&mut self) -> Result<Rule, PropertyError> {
        let what = self.events()?;
        let after = if self.accept("after") { Some(self.events()?) } else { None };
        let until = if after.is_some() && self.accept("until") { Some(self.events()?) } else { None };
        Ok(Rule::Never { what, after, until })
    }

    fn chain(&mut self) -> Result<Rule, PropertyError> {
        let mut stages = vec![self.events()?];
        while self.accept("before") {
            stages.push(self.events()?);
        }
        if stages.len() < 2 { Err(self.unexpected("`before`")) } else { Ok(Rule::Chain(stages)) }
    }

    fn one_holder(&mut self) -> Result<Rule, PropertyError> {
        for word in ["most", "one", "holder", "of"] {
            self.expect(word)?;
        }
        let place = self.place();
        let takes = self.events()?;
        let gives = if self.accept("until") { self.events()? } else { events::opposites(place, &takes)? };
        Ok(Rule::OneHolder { takes, gives })
    }

    fn comes(&mut self) -> Result<Rule, PropertyError> {
        let after = self.events()?;
        self.expect("comes")?;
        let comes = self.events()?;
        self.expect("before")?;
        if !self.accept("anything") {
            return Ok(Rule::Comes { after, comes, before: Before::These(self.events()?) });
        }
        let but = if self.accept("but") { self.events()? } else { Events::new() };
        Ok(Rule::Comes { after, comes, before: Before::Anything { but } })
    }

    fn region(&mut self) -> Result<(Events, Events), PropertyError> {
        let begin = self.events()?;
        if !self.accept_sign("…") && !self.accept_sign("...") {
            return Err(self.unexpected("`…` or `...`"));
        }
        Ok((begin, self.events()?))
    }

    fn atomic(&mut self) -> Result<Rule, PropertyError> {
        let (begin, end) = self.region()?;
        let against = if self.accept("against") { Some(self.events()?) } else { None };
        Ok(Rule::Atomic { begin, end, against })
    }

    fn serialisable(&mut self) -> Result<Rule, PropertyError> {
        let reads = self.events()?;
        self.expect_sign(",")?;
        let writes = self.events()?;
        self.expect("in")?;
        let (begin, end) = self.region()?;
        Ok(Rule::Serialisable { reads, writes, begin, end })
    }
}
