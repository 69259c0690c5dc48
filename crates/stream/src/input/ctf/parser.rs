//! TSDL, as far as types go: integers, numbers with a point, text, enumerations, structures, variants, arrays.
mod composite;

use super::CtfProblem;
use super::lexer::{Token, tokens};
use super::types::{FloatType, IntType, Order, Path, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Types within each other.
const MAX_DEPTH: usize = 32;
/// The most bytes that a type may say it takes, several times over: larger ones are mistakes.
const MAX_ALIGN: i128 = 1 << 16;

/// Reads metadata.
pub struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
    /// Types by name, the innermost scope last.
    scopes: Vec<FxHashMap<String, Type>>,
}

/// A setting of a block: `size = 8`, with its value as words.
pub type Setting = (String, Vec<Token>);

impl Parser {
    pub fn new(text: &str) -> Result<Parser, CtfProblem> {
        Ok(Parser { tokens: tokens(text)?, at: 0, depth: 0, scopes: vec![FxHashMap::default()] })
    }

    pub fn wrong(&self, what: impl Into<String>) -> CtfProblem {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line);
        CtfProblem::Metadata { line, what: what.into() }
    }

    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(own)) if *own == sign);
        self.at += usize::from(found);
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(own)) if &**own == word);
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, sign: &str) -> Result<(), CtfProblem> {
        if self.eat(sign) { Ok(()) } else { Err(self.wrong(format!("expected `{sign}`"))) }
    }

    pub fn word(&mut self) -> Result<Rc<str>, CtfProblem> {
        match self.peek() {
            Some(Token::Word(word)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.wrong("expected a name")),
        }
    }

    fn number(&mut self) -> Result<i128, CtfProblem> {
        match self.peek() {
            Some(Token::Number(number)) => {
                let number = *number;
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.wrong("expected a number")),
        }
    }

    /// A name of words with points between them.
    pub fn path(&mut self) -> Result<Path, CtfProblem> {
        let mut parts = vec![plain(self.word()?)];
        while self.eat(".") {
            parts.push(plain(self.word()?));
        }
        Ok(parts.into())
    }

    /// The words up to a semicolon, which is taken, too.
    pub fn value(&mut self) -> Result<Vec<Token>, CtfProblem> {
        let mut words = Vec::new();
        while !self.eat(";") {
            words.push(self.peek().cloned().ok_or_else(|| self.wrong("expected `;`"))?);
            self.at += 1;
        }
        Ok(words)
    }

    /// Runs with a scope of its own for the names of types.
    pub fn scoped<R>(&mut self, run: impl FnOnce(&mut Self) -> Result<R, CtfProblem>) -> Result<R, CtfProblem> {
        self.scopes.push(FxHashMap::default());
        let result = run(self);
        self.scopes.pop();
        result
    }

    fn define(&mut self, name: String, ty: Type) {
        self.scopes.last_mut().expect("there is always one").insert(name, ty);
    }

    fn known(&self, name: &str) -> Option<Type> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned()
    }

    /// `typealias … := name;` or `typedef … name;`, or a structure, variant or enumeration with a name; says whether it was one.
    pub fn definition(&mut self) -> Result<bool, CtfProblem> {
        if self.eat_word("typealias") {
            let ty = self.type_()?;
            self.expect(":=")?;
            let name = self.type_name()?;
            self.define(name, ty);
        } else if self.eat_word("typedef") {
            let ty = self.type_()?;
            let (name, ty) = self.declarator(ty)?;
            self.define(name.to_string(), ty);
        } else if matches!(self.peek(), Some(Token::Word(word)) if ["struct", "variant", "enum"].contains(&&**word)) {
            let start = self.at;
            self.type_()?;
            // A field whose type is written out is not a definition.
            if !matches!(self.peek(), Some(Token::Sign(";"))) {
                self.at = start;
                return Ok(false);
            }
        } else {
            return Ok(false);
        }
        self.expect(";")?;
        Ok(true)
    }

    /// The name of an alias, of one or several words.
    fn type_name(&mut self) -> Result<String, CtfProblem> {
        let mut name = self.word()?.to_string();
        while let Some(Token::Word(word)) = self.peek() {
            name = format!("{name} {word}");
            self.at += 1;
        }
        Ok(name)
    }

    /// A type.
    pub fn type_(&mut self) -> Result<Type, CtfProblem> {
        if self.depth > MAX_DEPTH {
            return Err(self.wrong("types are nested too deeply"));
        }
        self.depth += 1;
        let ty = self.any_type();
        self.depth -= 1;
        ty
    }

    fn any_type(&mut self) -> Result<Type, CtfProblem> {
        let word = self.word()?;
        match &*word {
            "integer" => Ok(Type::Int(Rc::new(self.integer()?))),
            "floating_point" => self.float(),
            "string" => {
                if matches!(self.peek(), Some(Token::Sign("{"))) {
                    self.settings()?;
                }
                Ok(Type::Text)
            }
            "struct" => self.structure(),
            "enum" => self.enumeration(),
            "variant" => self.variant(),
            _ => self.named(word.to_string()),
        }
    }

    /// A type by its name: as many words as make one.
    fn named(&mut self, first: String) -> Result<Type, CtfProblem> {
        let (mut name, mut found) = (first, None);
        loop {
            if let Some(ty) = self.known(&name) {
                found = Some((ty, self.at));
            }
            let Some(Token::Word(word)) = self.peek() else { break };
            name = format!("{name} {word}");
            self.at += 1;
        }
        let (ty, at) = found.ok_or_else(|| self.wrong(format!("there is no type `{name}`")))?;
        self.at = at;
        Ok(ty)
    }

    /// `{ name = value; … }`.
    pub fn settings(&mut self) -> Result<Vec<Setting>, CtfProblem> {
        self.expect("{")?;
        let mut settings = Vec::new();
        while !self.eat("}") {
            let name = self.path()?.join(".");
            self.expect("=")?;
            settings.push((name, self.value()?));
        }
        Ok(settings)
    }

    fn integer(&mut self) -> Result<IntType, CtfProblem> {
        let settings = self.settings()?;
        let size = self.bounded(&settings, "size", 64)?.ok_or_else(|| self.wrong("an integer needs a size"))?;
        let align = self.alignment(&settings, if size.is_multiple_of(8) { 8 } else { 1 })?;
        let is = |name: &str, wanted: &[&str]| word_of(&settings, name).is_some_and(|word| wanted.contains(&&*word));
        let truth = |name| is(name, &["true", "TRUE"]) || number_of(&settings, name).is_some_and(|number| number != 0);
        Ok(IntType {
            size: size as u32,
            align,
            signed: truth("signed"),
            order: order_of(&settings),
            text: size == 8 && is("encoding", &["UTF8", "utf8", "ASCII", "ascii"]),
            clock: settings.iter().any(|(name, _)| name == "map"),
        })
    }

    fn float(&mut self) -> Result<Type, CtfProblem> {
        let settings = self.settings()?;
        let digits = |name| number_of(&settings, name);
        let size = match (digits("exp_dig"), digits("mant_dig")) {
            (Some(8), Some(24)) => 32,
            (Some(11), Some(53)) => 64,
            _ => return Err(self.wrong("numbers with a point have 8 and 24 or 11 and 53 digits")),
        };
        let align = self.alignment(&settings, 8)?;
        Ok(Type::Float(Rc::new(FloatType { size, align, order: order_of(&settings) })))
    }

    /// A setting from 1 to a limit.
    fn bounded(&self, settings: &[Setting], name: &str, limit: i128) -> Result<Option<u64>, CtfProblem> {
        match number_of(settings, name) {
            Some(number) if (1..=limit).contains(&number) => Ok(Some(number as u64)),
            Some(number) => Err(self.wrong(format!("{number} is not a possible {name}"))),
            None => Ok(None),
        }
    }

    fn alignment(&self, settings: &[Setting], default: u64) -> Result<u64, CtfProblem> {
        let align = self.bounded(settings, "align", MAX_ALIGN)?.unwrap_or(default);
        if align.is_power_of_two() { Ok(align) } else { Err(self.wrong("an alignment is a power of two")) }
    }
}

/// A name as it is shown: an underscore in front only keeps it apart from the words of the language.
fn plain(name: Rc<str>) -> Rc<str> {
    match name.strip_prefix('_') {
        Some(rest) if !rest.is_empty() => rest.into(),
        _ => name,
    }
}

pub fn number_of(settings: &[Setting], wanted: &str) -> Option<i128> {
    match settings.iter().find(|(name, _)| name == wanted)?.1.as_slice() {
        [Token::Number(number)] => Some(*number),
        _ => None,
    }
}

pub fn word_of(settings: &[Setting], wanted: &str) -> Option<Rc<str>> {
    match settings.iter().find(|(name, _)| name == wanted)?.1.as_slice() {
        [Token::Word(word) | Token::Text(word)] => Some(word.clone()),
        _ => None,
    }
}

pub fn order_of(settings: &[Setting]) -> Option<Order> {
    match &*word_of(settings, "byte_order")? {
        "le" => Some(Order::Little),
        "be" | "network" => Some(Order::Big),
        _ => None,
    }
}
