//! From lines to statements: names are not yet resolved.

use foretrace_event::{LoadOrder, LockClass, Order, Patience, StoreOrder};

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

/// An operation, with names where an event has ids.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation<'a> {
    Start,
    End,
    Fork(Word<'a>),
    Join(Word<'a>),
    Lock(Word<'a>, Patience),
    FailedLock(Word<'a>, Patience),
    RdLock(Word<'a>, Patience),
    FailedRdLock(Word<'a>, Patience),
    Unlock(Word<'a>),
    StrayUnlock(Word<'a>),
    Signal(Word<'a>),
    Broadcast(Word<'a>),
    Wait(Word<'a>, Word<'a>),
    FailedWait(Word<'a>),
    BarrierEnter(Word<'a>),
    BarrierExit(Word<'a>),
    SemWait(Word<'a>, Patience),
    FailedSemWait(Word<'a>, Patience),
    SemPost(Word<'a>),
    OnceRun(Word<'a>),
    OnceDone(Word<'a>),
    OnceAbort(Word<'a>),
    OncePass(Word<'a>),
    Release(Word<'a>),
    Acquire(Word<'a>),
    AtomicLoad(Word<'a>, LoadOrder, u64),
    AtomicStore(Word<'a>, StoreOrder, u64),
    AtomicRmw(Word<'a>, Order, u64, u64),
    Fence(Order),
    Read(Word<'a>),
    Write(Word<'a>),
    Custom(Word<'a>, u64),
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
    use Operation as O;
    use Patience::{Blocking, Try};
    Ok(match verb.text {
        "start" => O::Start,
        "end" => O::End,
        "fork" => O::Fork(line.expect("a thread")?),
        "join" => O::Join(line.expect("a thread")?),
        "lock" => O::Lock(line.expect("a lock")?, patience(line, Blocking)),
        "flock" => O::FailedLock(line.expect("a lock")?, patience(line, Try)),
        "rdlock" => O::RdLock(line.expect("a lock")?, patience(line, Blocking)),
        "frdlock" => O::FailedRdLock(line.expect("a lock")?, patience(line, Try)),
        "unlock" => O::Unlock(line.expect("a lock")?),
        "stray_unlock" => O::StrayUnlock(line.expect("a lock")?),
        "signal" => O::Signal(line.expect("a condition variable")?),
        "broadcast" => O::Broadcast(line.expect("a condition variable")?),
        "wait" => O::Wait(line.expect("a condition variable")?, line.expect("a lock")?),
        "fwait" => O::FailedWait(line.expect("a lock")?),
        "barrier_enter" => O::BarrierEnter(line.expect("a barrier")?),
        "barrier_exit" => O::BarrierExit(line.expect("a barrier")?),
        "sem_wait" => O::SemWait(line.expect("a semaphore")?, patience(line, Blocking)),
        "sem_fwait" => O::FailedSemWait(line.expect("a semaphore")?, patience(line, Try)),
        "sem_post" => O::SemPost(line.expect("a semaphore")?),
        "once_run" => O::OnceRun(line.expect("a once control")?),
        "once_done" => O::OnceDone(line.expect("a once control")?),
        "once_abort" => O::OnceAbort(line.expect("a once control")?),
        "once_pass" => O::OncePass(line.expect("a once control")?),
        "release" => O::Release(line.expect("a channel")?),
        "acquire" => O::Acquire(line.expect("a channel")?),
        "aload" => O::AtomicLoad(line.expect("an atomic")?, load(line)?, number(line)?),
        "astore" => O::AtomicStore(line.expect("an atomic")?, store(line)?, number(line)?),
        "armw" => O::AtomicRmw(line.expect("an atomic")?, order(line)?, number(line)?, number(line)?),
        "fence" => O::Fence(order(line)?),
        "read" => O::Read(line.expect("an interval")?),
        "write" => O::Write(line.expect("an interval")?),
        "custom" => O::Custom(line.expect("a kind of custom event")?, number(line)?),
        other => return Err(verb.error(TextErrorKind::UnknownOperation(other.to_owned()))),
    })
}

fn patience(line: &mut Line<'_>, default: Patience) -> Patience {
    let words = [("blocking", Patience::Blocking), ("try", Patience::Try), ("timed", Patience::Timed)];
    words.into_iter().find(|(word, _)| line.accept(word)).map_or(default, |(_, patience)| patience)
}

fn number(line: &mut Line<'_>) -> Result<u64, TextError> {
    line.expect("a number")?.number()
}

/// A memory order that this kind of operation may have: one that survives conversion and back.
fn order_of<T: From<Order> + Into<Order>>(line: &mut Line<'_>, what: &'static str) -> Result<T, TextError> {
    let word = line.expect(what)?;
    let order = Order::from_name(word.text).ok_or_else(|| word.error(TextErrorKind::Expected(what)))?;
    let narrowed = T::from(order);
    let back: Order = T::from(order).into();
    if back == order { Ok(narrowed) } else { Err(word.error(TextErrorKind::Expected(what))) }
}

fn load(line: &mut Line<'_>) -> Result<LoadOrder, TextError> {
    order_of(line, "relaxed, acquire or seq_cst")
}

fn store(line: &mut Line<'_>) -> Result<StoreOrder, TextError> {
    order_of(line, "relaxed, release or seq_cst")
}

fn order(line: &mut Line<'_>) -> Result<Order, TextError> {
    order_of(line, "a memory order")
}
