//! Tokens to tree, by recursive descent with precedence climbing. An error ends the declaration it is in; the parser
//! starts again at the next one, so that one run reports several.

mod assertion;
mod declaration;
mod expression;
mod pattern;
mod primary;
mod types;

use super::ast::*;
use super::lexer::lex;
use super::symbol::{Symbol, Symbols};
use super::token::{Keyword, Tok, Token};
use crate::budget::{Budget, Meter};
use crate::diagnostic::{Diagnostic, Stage};
use crate::source::{self, Sources, Span};
use crate::stack::depth_for_stack;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Nesting beyond which a script is refused rather than the stack exhausted: every pass over the tree is recursive, on a
/// stack of two gigabytes. What follows a prefix is one level deeper than it, what stands in brackets `BRACKETS`.
const MAX_DEPTH: u32 = 20_000;
const BRACKETS: u32 = 10;
/// Operators of one declaration, for the same reason: `a + b + c` nests to the left without any brackets.
const MAX_OPERATORS: u32 = 100_000;

/// After this many errors the parser stops: nobody reads more.
const MAX_ERRORS: usize = 100;

type Parsed<T> = Result<T, Box<Diagnostic>>;

pub struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// The part of the depth that modules and timed sections take.
    sections: u32,
    /// How many operators this declaration has so far.
    operators: u32,
    /// Whether a newline ends the expression: yes in declarations, no inside brackets.
    newlines: bool,
    /// How many `<` are open in the innermost brackets: a `>` then closes one.
    open_sequences: u32,
    /// Where each file begins.
    files: Vec<u32>,
    meter: &'a Meter,
    max_depth: u32,
    max_operators: u32,
    symbols: &'a mut Symbols,
    errors: Vec<Diagnostic>,
    /// Set when there is no time left; nothing else is then reported.
    late: Option<Diagnostic>,
}

/// Parses a script with everything it includes. Errors come in the order of the text.
pub fn parse(name: &str, text: &str, sources: &mut Sources, symbols: &mut Symbols) -> Result<Script, Vec<Diagnostic>> {
    parse_within(name, text, sources, symbols, &Meter::new(Budget::default()))
}

/// Parses a script, unless that takes longer than the budget allows.
pub fn parse_within(
    name: &str,
    text: &str,
    sources: &mut Sources,
    symbols: &mut Symbols,
    meter: &Meter,
) -> Result<Script, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut tokens = Vec::new();
    load(
        name,
        text,
        &mut Loader { sources, symbols, meter, open: Vec::new(), read: Vec::new() },
        &mut tokens,
        &mut errors,
    );
    let files = sources.starts();
    let end = tokens.last().map_or(Span::default(), |t: &Token| Span { lo: t.span.hi, hi: t.span.hi });
    tokens.push(Token { tok: Tok::Eof, span: end, newline: true, glued: false });
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        sections: 0,
        operators: 0,
        newlines: true,
        open_sequences: 0,
        files,
        meter,
        max_depth: depth_for_stack(MAX_DEPTH),
        max_operators: depth_for_stack(MAX_OPERATORS),
        symbols,
        errors,
        late: None,
    };
    let decls = parser.declarations(|t| matches!(t, Tok::Eof));
    match parser.late {
        Some(late) => Err(vec![late]),
        None if parser.errors.is_empty() => Ok(Script { decls }),
        None => Err(parser.errors),
    }
}

/// The parser checks the clock after this many tokens.
const LOOKED: usize = 4096;

/// The files that are being read. A file is identified by its location, however its name is written.
struct Loader<'a> {
    sources: &'a mut Sources,
    symbols: &'a mut Symbols,
    meter: &'a Meter,
    /// The files that are being read, each included by the one before.
    open: Vec<(PathBuf, String)>,
    read: Vec<PathBuf>,
}

/// Lexes a file, putting the tokens of each included file where it is included. What was included before is not read
/// again.
fn load(name: &str, text: &str, loader: &mut Loader, tokens: &mut Vec<Token>, errors: &mut Vec<Diagnostic>) {
    let place = place_of(name);
    loader.read.push(place.clone());
    loader.open.push((place, name.to_owned()));
    let base = loader.sources.add(name, text);
    let lexed = lex(text, base, loader.symbols, loader.meter);
    errors.extend(lexed.errors);
    let mut rest = lexed.tokens.into_iter();
    let mut taken = 0;
    for include in lexed.includes {
        tokens.extend(rest.by_ref().take(include.at - taken));
        taken = include.at;
        let path = source::include_path(name, &include.name).to_string_lossy().into_owned();
        let place = place_of(&path);
        let wrong = |message| Diagnostic::new(Stage::Syntax, include.span, message);
        if let Some(from) = loader.open.iter().position(|(p, _)| *p == place) {
            let chain: Vec<&str> = loader.open[from..].iter().map(|(_, name)| name.as_str()).chain([&*path]).collect();
            let message = format!("{} includes itself", chain[0]);
            errors.push(wrong(message).hint(chain.join(" includes ")));
        } else if !loader.read.contains(&place) {
            match source::read(Path::new(&path)) {
                Ok(text) => load(&path, &text, loader, tokens, errors),
                Err(why) => errors.push(
                    wrong(format!("cannot read {path}: {why}"))
                        .hint("the path is relative to the file that includes it"),
                ),
            }
        }
    }
    tokens.extend(rest);
    loader.open.pop();
}

/// Where a file is; its name if there is no such file.
fn place_of(name: &str) -> PathBuf {
    std::fs::canonicalize(name).unwrap_or_else(|_| PathBuf::from(name))
}

impl Parser<'_> {
    fn peek(&self) -> &Tok {
        &self.tokens[self.at].tok
    }

    fn peek_at(&self, ahead: usize) -> &Tok {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].tok
    }

    fn here(&self) -> Span {
        self.tokens[self.at].span
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        if self.at.is_multiple_of(LOOKED) && self.is_late() {
            self.at = self.tokens.len() - 1;
        }
        token
    }

    /// Whether there is no time left, which is an error.
    fn is_late(&mut self) -> bool {
        let Err(limit) = self.meter.check_time() else { return false };
        self.late = Some(Diagnostic::new(Stage::Syntax, self.here(), limit.to_string()));
        true
    }

    fn is(&self, op: &str) -> bool {
        matches!(self.peek(), Tok::Op(o) if *o == op)
    }

    fn is_key(&self, key: Keyword) -> bool {
        *self.peek() == Tok::Key(key)
    }

    fn eat(&mut self, op: &str) -> bool {
        let found = self.is(op);
        if found {
            self.bump();
        }
        found
    }

    fn eat_key(&mut self, key: Keyword) -> bool {
        let found = self.is_key(key);
        if found {
            self.bump();
        }
        found
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::new(Stage::Syntax, span, message)))
    }

    fn fail_hint<T>(&self, span: Span, message: impl Into<String>, hint: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::new(Stage::Syntax, span, message).hint(hint)))
    }

    fn describe(&self, tok: &Tok) -> String {
        match tok {
            Tok::Ident(s) => format!("name {}", self.symbols.name(*s)),
            Tok::Int(n) => format!("number {n}"),
            Tok::Char(c) => format!("character {c:?}"),
            Tok::Str(_) => "a string".into(),
            Tok::Key(k) => format!("keyword {}", k.name()),
            Tok::Op(o) => format!("`{o}`"),
            Tok::Refines(m) => format!("`[{m}=`"),
            Tok::Eof => "the end of the script".into(),
        }
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        self.fail(self.here(), format!("expected {wanted}, found {}", self.describe(self.peek())))
    }

    fn expect(&mut self, op: &'static str) -> Parsed<Span> {
        // `]]` and `|]` are one token to the lexer and may be two brackets to the grammar.
        if op == "]" && self.is("]]") {
            let token = &mut self.tokens[self.at];
            let span = Span { lo: token.span.lo, hi: token.span.lo + 1 };
            token.tok = Tok::Op("]");
            token.span.lo += 1;
            return Ok(span);
        }
        if self.is(op) { Ok(self.bump().span) } else { self.unexpected(&format!("`{op}`")) }
    }

    fn expect_key(&mut self, key: Keyword) -> Parsed<Span> {
        if self.is_key(key) { Ok(self.bump().span) } else { self.unexpected(key.name()) }
    }

    fn ident(&mut self) -> Parsed<(Symbol, Span)> {
        match *self.peek() {
            Tok::Ident(symbol) => {
                let span = self.bump().span;
                self.qualified(symbol, span)
            }
            _ => self.unexpected("a name"),
        }
    }

    /// `M::x`, written without spaces, is one name.
    fn qualified(&mut self, mut symbol: Symbol, mut span: Span) -> Parsed<(Symbol, Span)> {
        while self.is("::") && self.tokens[self.at].glued && self.tokens[self.at + 1].glued {
            let Tok::Ident(part) = *self.peek_at(1) else { break };
            self.bump();
            span = span.to(self.bump().span);
            let full = format!("{}::{}", self.symbols.name(symbol), self.symbols.name(part));
            symbol = self.symbols.intern(&full);
        }
        Ok((symbol, span))
    }

    fn idents(&mut self) -> Parsed<Vec<(Symbol, Span)>> {
        let mut names = vec![self.ident()?];
        while self.eat(",") {
            names.push(self.ident()?);
        }
        Ok(names)
    }

    fn expr_node(&mut self, span: Span, kind: ExprKind) -> Expr {
        Expr { id: ExprId(self.symbols.next_expression()), span, kind: Rc::new(kind) }
    }

    /// Parses with newlines ignored and no sequence open, as inside any bracket.
    fn bracketed<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.with_context(false, 0, inner)
    }

    fn with_context<T>(&mut self, newlines: bool, open: u32, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let saved = (self.newlines, self.open_sequences);
        (self.newlines, self.open_sequences) = (newlines, open);
        let result = inner(self);
        (self.newlines, self.open_sequences) = saved;
        result
    }

    /// Parses what is some levels deeper, unless that is too deep.
    fn deeper<T>(&mut self, levels: u32, what: &str, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth + levels > self.max_depth {
            return self.fail_hint(self.here(), format!("this {what} is nested too deeply"), "name its parts");
        }
        self.depth += levels;
        let result = inner(self);
        self.depth -= levels;
        result
    }

    fn comma_separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
