//! The parser's cursor: what every grammar rule is written with.
use super::ast::{Ident, Item};
use super::lexer::{Lexeme, Lexer, Token};
use crate::source::{Diagnostic, Result, Span};

/// Which of the two languages a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// TeSSLa 1.2.
    Tessla12,
    /// TeSSLa 0.5, the language of the 2018 paper.
    Tessla2018,
}

/// Parses one file of a specification.
pub fn parse(text: &str, file: u16, dialect: Dialect) -> std::result::Result<Vec<Item>, Vec<Diagnostic>> {
    let range = Span { file, start: 0, end: text.len() as u32 };
    let mut parser = Parser::new(text, range, dialect).map_err(|error| vec![error])?;
    let (mut items, mut errors) = (Vec::new(), Vec::new());
    while !parser.at_end() {
        let before = parser.at;
        match parser.item() {
            Ok(item) => items.push(item),
            Err(error) => {
                errors.push(error);
                if parser.at == before {
                    parser.bump();
                }
                parser.skip_statement();
            }
        }
    }
    if errors.is_empty() { Ok(items) } else { Err(errors) }
}

/// How deep expressions, types and modules may nest.
const MAX_DEPTH: usize = 2_000;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub dialect: Dialect,
    tokens: Vec<Lexeme>,
    at: usize,
    depth: usize,
    /// Inside parentheses a newline never ends an expression.
    pub parens: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, range: Span, dialect: Dialect) -> Result<Self> {
        let tokens = Lexer::new(text, range).run()?;
        Ok(Parser { text, dialect, tokens, at: 0, depth: 0, parens: 0 })
    }

    /// After an error: goes to the next line that begins a statement.
    fn skip_statement(&mut self) {
        (self.depth, self.parens) = (0, 0);
        while !self.at_end() {
            let starts = match self.peek() {
                Token::Sym("@" | "@@") => true,
                Token::Name(word) => {
                    matches!(&**word, "def" | "define" | "in" | "out" | "type" | "module" | "import" | "liftable")
                }
                _ => false,
            };
            if starts && self.after_newline() && self.at_line_start() {
                return;
            }
            self.bump();
        }
    }

    /// Whether nothing, not even a blank, stands before this token in its line.
    fn at_line_start(&self) -> bool {
        let start = self.span().start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    pub fn peek_at(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].token
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The range of the token before this one.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub fn after_newline(&self) -> bool {
        self.tokens[self.at].after_newline
    }

    pub fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    pub fn bump(&mut self) -> Lexeme {
        let lexeme = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        lexeme
    }

    pub fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Sym(s) if *s == symbol)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(n) if &**n == word)
    }

    pub fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.bump();
        }
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect(&mut self, symbol: &str) -> Result<Span> {
        let span = self.span();
        if self.eat(symbol) { Ok(span) } else { self.unexpected(&format!("`{symbol}`")) }
    }

    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    pub fn ident(&mut self) -> Result<Ident> {
        let span = self.span();
        match self.peek() {
            Token::Name(name) if !is_keyword(name) => {
                let name = name.clone();
                self.bump();
                Ok(Ident { name, span })
            }
            _ => self.unexpected("a name"),
        }
    }

    pub fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        Err(Diagnostic::new(format!("expected {wanted}, found {}", describe(self.peek())), self.span()))
    }

    /// `first ("," first)*` up to `close`, which is consumed; a comma before it is allowed.
    pub fn list<T>(&mut self, close: &str, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        self.parens += 1;
        while !self.is(close) {
            out.push(one(self)?);
            if !self.eat(",") {
                break;
            }
        }
        self.parens -= 1;
        self.expect(close)?;
        Ok(out)
    }

    /// Runs a rule that may recurse, on a stack that grows, up to a depth no person writes.
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            let hint = format!("split it into definitions; the limit is {MAX_DEPTH} levels");
            return Err(Diagnostic::new("this is nested too deeply", self.span()).hint(hint));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 * 1024, 1024 * 1024, || rule(self));
        self.depth -= 1;
        result
    }
}

const KEYWORDS: [&str; 13] =
    ["def", "define", "in", "out", "include", "if", "then", "else", "module", "import", "where", "return", "as"];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

fn describe(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("`{name}`"),
        Token::Int(..) | Token::Float(_) => "a number".to_owned(),
        Token::Str(_) => "a string".to_owned(),
        Token::Sym(symbol) => format!("`{symbol}`"),
        Token::End => "the end of the text".to_owned(),
    }
}
