//! Reads the text form.

use super::build::{Build, Fault};
use super::line::{Token, Word, tokens};
use super::names;
use super::scope::Scope;
use super::tree::{number, tree};
use crate::check::{CheckError, check};
use crate::event::{Action, Event, Link, Place};
use crate::ids::{ExprId, ObjectId, ThreadId};
use crate::program::{Ctp, Object, ObjectKind, Thread, Var};
use rustc_hash::FxHashMap;

/// Why a text is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseError {
    /// At a place of the text.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// The events cannot be a program.
    #[error("{}{what}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    Program {
        /// The line of the event, if it is about one.
        line: Option<usize>,
        /// What is wrong.
        what: CheckError,
    },
}

/// Reads and checks a program.
pub fn parse(text: &str) -> Result<Ctp, ParseError> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let fail = |(column, what): Fault| {
            let column = if column == 0 { line.len() + 1 } else { column };
            ParseError::Syntax { line: line_number, column, what }
        };
        let words = tokens(line).map_err(|column| fail((column, "this quote is not closed".to_owned())))?;
        if !words.is_empty() {
            parser.line(&words, line_number).map_err(fail)?;
        }
    }
    check(&parser.ctp).map_err(|what| {
        let id = match &what {
            CheckError::Event { id, .. } => Some(*id),
            _ => None,
        };
        let at = id.and_then(|id| parser.ctp.order.iter().position(|other| *other == id));
        ParseError::Program { line: at.and_then(|at| parser.lines.get(at).copied()), what }
    })?;
    Ok(parser.ctp)
}

#[derive(Default)]
struct Parser {
    ctp: Ctp,
    threads: FxHashMap<String, ThreadId>,
    scopes: Vec<Scope>,
    vars: FxHashMap<String, usize>,
    objects: FxHashMap<String, ObjectId>,
    /// The line of each event, in recorded order.
    lines: Vec<usize>,
    /// Where the next variable without an address goes.
    free: u64,
}

/// The words of a line that have not been read.
struct Rest<'t, 'a> {
    tokens: &'t [Token<'a>],
}

impl<'a> Rest<'_, 'a> {
    fn name(&mut self, what: &str) -> Result<(usize, &'a str), Fault> {
        match self.tokens.split_first() {
            Some((Token { column, word: Word::Name(name) }, rest)) => {
                self.tokens = rest;
                Ok((*column, name))
            }
            Some((token, _)) => Err((token.column, format!("{what} should stand here"))),
            None => Err((0, format!("{what} is missing"))),
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token { word: Word::Name(name), .. }) if *name == word);
        self.tokens = &self.tokens[usize::from(found)..];
        found
    }

    fn number(&mut self, what: &str) -> Result<(usize, u64), Fault> {
        let (column, text) = self.name(what)?;
        Ok((column, number(text).ok_or_else(|| (column, format!("not a number: `{text}`")))?))
    }
}

impl Parser {
    fn line(&mut self, words: &[Token], line: usize) -> Result<(), Fault> {
        let mut rest = Rest { tokens: words };
        let (column, first) = rest.name("a declaration or a thread")?;
        match first {
            "var" => self.var(&mut rest)?,
            "thread" => drop(rest.name("a thread").map(|(_, name)| self.thread(name))?),
            "lock" | "sem" | "cond" | "barrier" => self.declare(first, &mut rest)?,
            _ => {
                let thread = self.thread(first);
                self.event(thread, &mut rest, line)?;
            }
        }
        let _ = column;
        match rest.tokens.first() {
            None => Ok(()),
            Some(token) => Err((token.column, "this was not expected here".to_owned())),
        }
    }

    fn thread(&mut self, name: &str) -> ThreadId {
        if let Some(known) = self.threads.get(name) {
            return *known;
        }
        let id = ThreadId(self.ctp.threads.len() as u32);
        self.ctp.threads.push(Thread { name: name.to_owned(), events: Vec::new() });
        self.scopes.push(Scope::default());
        self.threads.insert(name.to_owned(), id);
        id
    }

    /// `var NAME SIZE [= VALUE] [@ ADDRESS]`
    fn var(&mut self, rest: &mut Rest) -> Result<(), Fault> {
        let (column, name) = rest.name("the name of the variable")?;
        let (at, size) = rest.number("its size in bytes")?;
        if !(1..=8).contains(&size) {
            return Err((at, "a variable has 1 to 8 bytes".to_owned()));
        }
        let initial = if rest.word("=") { rest.number("its value")?.1 } else { 0 };
        let address = if rest.word("@") { rest.number("its address")?.1 } else { self.free };
        if address > u64::MAX - 64 {
            return Err((column, "this address is too high".to_owned()));
        }
        self.free = self.free.max((address + size).next_multiple_of(16));
        if self.vars.insert(name.to_owned(), self.ctp.vars.len()).is_some() {
            return Err((column, format!("`{name}` is declared twice")));
        }
        let initial = initial & crate::expr::fold::mask(size as u8 * 8);
        self.ctp.vars.push(Var { name: name.to_owned(), place: Place { address, size: size as u8 }, initial });
        Ok(())
    }

    /// `lock NAME [recursive]`, `sem NAME = COUNT`, `cond NAME`, `barrier NAME = COUNT`
    fn declare(&mut self, kind: &str, rest: &mut Rest) -> Result<(), Fault> {
        let (column, name) = rest.name("a name")?;
        let mut counted = || match rest.word("=") {
            true => rest.number("a count"),
            false => Err((column, "a count should follow: `= 1`".to_owned())),
        };
        let count = |(column, count): (usize, u64)| u32::try_from(count).map_err(|_| (column, "too many".to_owned()));
        let kind = match kind {
            "sem" => ObjectKind::Semaphore(counted().and_then(count)?),
            "barrier" => ObjectKind::Barrier(counted().and_then(count)?),
            "cond" => ObjectKind::Condition,
            _ => ObjectKind::Lock { recursive: rest.word("recursive") },
        };
        let id = ObjectId(self.ctp.objects.len() as u32);
        if self.objects.insert(name.to_owned(), id).is_some() {
            return Err((column, format!("`{name}` is declared twice")));
        }
        self.ctp.objects.push(Object { name: name.to_owned(), kind });
        Ok(())
    }

    fn event(&mut self, thread: ThreadId, rest: &mut Rest, line: usize) -> Result<(), Fault> {
        let (column, name) = rest.name("an event")?;
        if name == "let" {
            let (_, bound) = rest.name("a name")?;
            let value = self.expr(thread, rest, None)?;
            self.scopes[thread.index()].bind(bound, value);
            return Ok(());
        }
        let action = self.action(thread, column, name, rest)?;
        let mut event = Event::from(action);
        if let Some((Token { word: Word::Quoted(label), .. }, after)) = rest.tokens.split_first() {
            event.label = Some((*label).into());
            rest.tokens = after;
        }
        if rest.word("@") {
            event.link = Some(link(rest)?);
        }
        self.ctp.push(thread, event);
        self.lines.push(line);
        Ok(())
    }

    fn action(&mut self, thread: ThreadId, column: usize, name: &str, rest: &mut Rest) -> Result<Action, Fault> {
        if let Some(of_object) = names::of_object(name) {
            return Ok(of_object(self.object(rest)?));
        }
        match name {
            "read" => self.read(thread, rest),
            "write" => {
                let place = self.place(rest)?;
                Ok(Action::Write { place, value: self.expr(thread, rest, Some(place.width()))? })
            }
            "update" => self.update(thread, rest),
            "assume" => Ok(Action::Assume(self.expr(thread, rest, Some(1))?)),
            "assert" => Ok(Action::Assert(self.expr(thread, rest, Some(1))?)),
            "wait" | "fwait" => {
                let (condition, mutex) = (self.object(rest)?, self.object(rest)?);
                let begins = name == "wait";
                Ok(if begins { Action::Wait { condition, mutex } } else { Action::Woken { condition, mutex } })
            }
            "fork" => Ok(Action::Fork(rest.name("a thread").map(|(_, name)| self.thread(name))?)),
            "join" => Ok(Action::Join(rest.name("a thread").map(|(_, name)| self.thread(name))?)),
            "begin" => Ok(Action::Begin),
            "end" => Ok(Action::End),
            "if" | "else" | "endif" => self.branch(thread, column, name, rest),
            _ => Err((column, format!("no event is named `{name}`"))),
        }
    }

    fn branch(&mut self, thread: ThreadId, column: usize, name: &str, rest: &mut Rest) -> Result<Action, Fault> {
        let unmatched = || (column, format!("`{name}` without `if`"));
        if name == "if" {
            let condition = self.expr(thread, rest, Some(1))?;
            if self.ctp.exprs.width(condition) == 1 {
                self.scopes[thread.index()].begin(condition);
            }
            return Ok(Action::If(condition));
        }
        let scope = &mut self.scopes[thread.index()];
        if name == "else" {
            return if scope.turn() { Ok(Action::Else) } else { Err(unmatched()) };
        }
        let ended = scope.end(&mut self.ctp.exprs).map_err(|error| (column, error.to_string()))?;
        if ended { Ok(Action::EndIf) } else { Err(unmatched()) }
    }

    /// `read NAME PLACE`
    fn read(&mut self, thread: ThreadId, rest: &mut Rest) -> Result<Action, Fault> {
        let (column, bound) = rest.name("a name for the value")?;
        let place = self.place(rest)?;
        let read = self.ctp.new_read(thread);
        self.bind_read(thread, (column, bound), read, place)?;
        Ok(Action::Read { place, read })
    }

    /// `update NAME PLACE [if GUARD] VALUE`
    fn update(&mut self, thread: ThreadId, rest: &mut Rest) -> Result<Action, Fault> {
        let (column, bound) = rest.name("a name for the value")?;
        let place = self.place(rest)?;
        let read = self.ctp.new_read(thread);
        self.bind_read(thread, (column, bound), read, place)?;
        let guard = if rest.word("if") { Some(self.expr(thread, rest, Some(1))?) } else { None };
        Ok(Action::Update { place, read, guard, value: self.expr(thread, rest, Some(place.width()))? })
    }

    fn bind_read(
        &mut self,
        thread: ThreadId,
        (column, name): (usize, &str),
        read: crate::ReadId,
        place: Place,
    ) -> Result<(), Fault> {
        let value = self.ctp.exprs.read(read, place.width()).map_err(|error| (column, error.to_string()))?;
        self.scopes[thread.index()].bind(name, value);
        Ok(())
    }

    fn expr(&mut self, thread: ThreadId, rest: &mut Rest, wanted: Option<u8>) -> Result<ExprId, Fault> {
        let tree = tree(&mut rest.tokens, 0)?;
        let (scopes, threads) = (&self.scopes, &self.threads);
        let name = |name: &str| {
            let own = scopes[thread.index()].get(name);
            own.or_else(|| {
                let (other, name) = name.split_once('.')?;
                scopes[threads.get(other)?.index()].get(name)
            })
        };
        Build { exprs: &mut self.ctp.exprs, name: &name }.expr(&tree, wanted)
    }

    fn object(&self, rest: &mut Rest) -> Result<ObjectId, Fault> {
        let (column, name) = rest.name("the name of an object")?;
        let missing =
            || (column, format!("`{name}` is not declared: write `lock {name}` (or sem, cond, barrier) above"));
        self.objects.get(name).copied().ok_or_else(missing)
    }

    /// `NAME`, `NAME+OFFSET:SIZE`, or `0xADDRESS:SIZE`.
    fn place(&self, rest: &mut Rest) -> Result<Place, Fault> {
        let (column, text) = rest.name("a variable")?;
        if let Some(var) = self.vars.get(text) {
            return Ok(self.ctp.vars[*var].place);
        }
        let missing = || (column, format!("`{text}` is not declared: write `var {text} 4 = 0` above"));
        let (start, size) = text.rsplit_once(':').ok_or_else(missing)?;
        let address = match start.split_once('+') {
            Some((name, offset)) => {
                let var = self.vars.get(name).ok_or_else(missing)?;
                number(offset).and_then(|offset| self.ctp.vars[*var].place.address.checked_add(offset))
            }
            None => number(start),
        };
        let size = number(size).filter(|size| (1..=8).contains(size)).ok_or_else(missing)?;
        Ok(Place { address: address.ok_or_else(missing)?, size: size as u8 })
    }
}

/// `@ THREAD:INDEX`
fn link(rest: &mut Rest) -> Result<Link, Fault> {
    let (column, text) = rest.name("an event of the trace")?;
    let parts = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (thread, index) = parts.ok_or_else(|| (column, "an event of the trace is written thread:index".to_owned()))?;
    Ok(Link { thread, index })
}
