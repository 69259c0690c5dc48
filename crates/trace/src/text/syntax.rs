//! From lines to statements: names are not yet resolved.

use foretrace_event::{Check, Kind, LoadOrder, LockClass, Order, Orders, Patience, Reader, Sort, StoreOrder};

use super::values;
use super::words::{Line, Word};
use super::{TextError, TextErrorKind};
use crate::trace::SemInfo;

/// A declaration's words, by what is declared.
#[derive(Clone, Debug)]
pub(super) enum Declaration<'a> {
    Thread { detached: bool },
    Lock(LockClass),
    Condition,
    Barrier(u32),
    Sem(u64),
    Atomic { initial: Option<u64>, size: u8, over: Vec<Word<'a>> },
    Once,
    Channel,
    Interval { length: u64, generation: u32 },
    Custom,
}

/// An operation, with words where an event has ids. As a [`Reader`], it gives everything that is no id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation<'a> {
    pub(super) kind: Kind,
    names: [Option<Word<'a>>; 2],
    patience: Patience,
    check: Check,
    order: Order,
    values: [u64; 2],
}

impl<'a> Operation<'a> {
    /// The word of the next id.
    pub(super) fn name(&mut self) -> Word<'a> {
        let [first, second] = self.names;
        self.names = [second, None];
        first.expect("a word was read for each id")
    }

    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    pub(super) fn check(&self) -> Check {
        self.check
    }

    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// The next value.
    pub(super) fn value(&mut self) -> u64 {
        let [first, second] = self.values;
        self.values = [second, 0];
        first
    }
}

/// One line that is not empty.
#[derive(Clone, Debug)]
pub(super) enum Statement<'a> {
    Declare { name: Word<'a>, address: u64, what: Declaration<'a> },
    Do { thread: Word<'a>, verb: Word<'a>, operation: Operation<'a>, place: Option<Word<'a>> },
}

/// The words that begin a declaration; no thread may have such a name.
pub(super) const KEYWORDS: [&str; 10] =
    ["thread", "mutex", "cond", "barrier", "sem", "atomic", "once", "channel", "interval", "custom"];

/// Reads a line; none if it is empty.
pub(super) fn statement(mut line: Line<'_>) -> Result<Option<Statement<'_>>, TextError> {
    let Some(first) = line.next() else { return Ok(None) };
    let statement =
        if KEYWORDS.contains(&first.text) { declare(first, &mut line)? } else { perform(first, &mut line)? };
    line.finish()?;
    Ok(Some(statement))
}

fn declare<'a>(keyword: Word<'a>, line: &mut Line<'a>) -> Result<Statement<'a>, TextError> {
    let name = line.expect("a name")?;
    let what = match keyword.text {
        "thread" => Declaration::Thread { detached: line.accept("detached") },
        "mutex" => Declaration::Lock(class(line)),
        "cond" => Declaration::Condition,
        "barrier" => Declaration::Barrier(fit(value(line)?)?),
        "sem" => Declaration::Sem(sem_value(value(line)?)?),
        "atomic" => atomic(line)?,
        "once" => Declaration::Once,
        "channel" => Declaration::Channel,
        "interval" => interval(line)?,
        _ => Declaration::Custom,
    };
    let address = option(line, "at")?;
    Ok(Statement::Declare { name, address, what })
}

/// The word after `=`.
fn value<'a>(line: &mut Line<'a>) -> Result<Word<'a>, TextError> {
    let sign = line.expect("`= NUMBER`")?;
    if sign.text == "=" { line.expect("a number") } else { Err(sign.unexpected()) }
}

/// A number of a narrower type.
fn fit<T: TryFrom<u64>>(word: Word<'_>) -> Result<T, TextError> {
    let error = |_| word.error(TextErrorKind::BadNumber(word.text.to_owned()));
    T::try_from(word.number()?).map_err(error)
}

/// The initial value of a semaphore, which is bounded as on POSIX systems.
fn sem_value(word: Word<'_>) -> Result<u64, TextError> {
    let value = word.number()?;
    let error = || word.error(TextErrorKind::BadNumber(word.text.to_owned()));
    (value <= SemInfo::MOST).then_some(value).ok_or_else(error)
}

fn class(line: &mut Line<'_>) -> LockClass {
    (0..).map_while(LockClass::from_code).find(|class| line.accept(class.name())).unwrap_or_default()
}

/// `KEY NUMBER`, if present.
fn option<T: TryFrom<u64> + Default>(line: &mut Line<'_>, key: &str) -> Result<T, TextError> {
    if line.accept(key) { fit(line.expect("a number")?) } else { Ok(T::default()) }
}

fn atomic<'a>(line: &mut Line<'a>) -> Result<Declaration<'a>, TextError> {
    let initial = if line.accept("=") { Some(line.expect("a number")?.number()?) } else { None };
    let size = option(line, "size")?;
    let mut over = Vec::new();
    while line.accept("over") {
        over.push(line.expect("an interval")?);
    }
    Ok(Declaration::Atomic { initial, size, over })
}

fn interval<'a>(line: &mut Line<'a>) -> Result<Declaration<'a>, TextError> {
    let length = option(line, "length")?;
    Ok(Declaration::Interval { length, generation: option(line, "generation")? })
}

fn perform<'a>(thread: Word<'a>, line: &mut Line<'a>) -> Result<Statement<'a>, TextError> {
    let missing = thread.error(TextErrorKind::NoOperation(thread.text.to_owned()));
    let verb = line.next().ok_or(missing)?;
    let operation = operation(verb, line)?;
    Ok(Statement::Do { thread, verb, operation, place: line.place })
}

fn operation<'a>(verb: Word<'a>, line: &mut Line<'a>) -> Result<Operation<'a>, TextError> {
    let unknown = || verb.error(TextErrorKind::UnknownOperation(verb.text.to_owned()));
    let kind = *Kind::ALL.iter().find(|kind| kind.name() == verb.text).ok_or_else(unknown)?;
    let patience = if kind.is_failure() { Patience::Try } else { Patience::Blocking };
    let (check, order) = (Check::Unknown, Order::Relaxed);
    let operation = Operation { kind, names: [None; 2], patience, check, order, values: [0; 2] };
    let mut reader = LineReader { line, operation, names: 0, values: 0 };
    kind.read(&mut reader)?;
    Ok(reader.operation)
}

/// Reads the words of an operation. The ids that it gives mean nothing: it only collects the words.
struct LineReader<'l, 'a> {
    line: &'l mut Line<'a>,
    operation: Operation<'a>,
    names: usize,
    values: usize,
}

impl Reader for LineReader<'_, '_> {
    type Error = TextError;

    fn id(&mut self, sort: Sort) -> Result<u32, TextError> {
        let word =
            if sort == Sort::Args { values::checked(self.line.rest())? } else { self.line.expect(expected(sort))? };
        self.operation.names[self.names] = Some(word);
        self.names += 1;
        Ok(0)
    }

    fn patience(&mut self) -> Result<Patience, TextError> {
        let known = [Patience::Blocking, Patience::Try, Patience::Timed];
        let found = known.into_iter().find(|patience| self.line.accept(patience.name()));
        self.operation.patience = found.unwrap_or(self.operation.patience);
        Ok(self.operation.patience)
    }

    fn check(&mut self) -> Result<Check, TextError> {
        if self.line.accept(LOOP) {
            self.operation.check = Check::InLoop;
        }
        Ok(self.operation.check)
    }

    fn order(&mut self, orders: Orders) -> Result<Order, TextError> {
        self.operation.order = match orders {
            Orders::OfLoads => order_of::<LoadOrder>(self.line, "relaxed, acquire or seq_cst"),
            Orders::OfStores => order_of::<StoreOrder>(self.line, "relaxed, release or seq_cst"),
            Orders::All => order_of::<Order>(self.line, "a memory order"),
        }?;
        Ok(self.operation.order)
    }

    fn number(&mut self) -> Result<u64, TextError> {
        let value = self.line.expect("a number")?.number()?;
        self.operation.values[self.values] = value;
        self.values += 1;
        Ok(value)
    }
}

/// A wait in a loop that checks a condition first.
pub(super) const LOOP: &str = "loop";

fn expected(sort: Sort) -> &'static str {
    match sort {
        Sort::Thread => "a thread",
        Sort::Lock => "a lock",
        Sort::Condition => "a condition variable",
        Sort::Barrier => "a barrier",
        Sort::Sem => "a semaphore",
        Sort::Once => "a once control",
        Sort::Channel => "a channel",
        Sort::Atomic => "an atomic",
        Sort::Interval => "an interval",
        Sort::Custom => "a kind of custom event",
        Sort::Args => "values",
    }
}

/// A memory order that this kind of operation may have: one that survives conversion and back.
fn order_of<T: From<Order> + Into<Order>>(line: &mut Line<'_>, what: &'static str) -> Result<Order, TextError> {
    let word = line.expect(what)?;
    let known = Order::from_name(word.text).filter(|order| T::from(*order).into() == *order);
    known.ok_or_else(|| word.error(TextErrorKind::Expected(what)))
}
