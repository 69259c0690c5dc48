//! From statements to a trace: names become ids, and the builder checks the history.

use std::convert::Infallible;

use foretrace_event::{
    AtomicId, BarrierId, ChannelId, Check, CustomId, IntervalId, Kind, LockClass, LockId, OnceId, Order, Orders,
    Patience, SemId, Sort, ThreadId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::syntax::{Declaration, Operation, Statement, statement};
use super::values;
use super::words::{Line, Word};
use super::{TextError, TextErrorKind, TextErrors};
use crate::builder::as_read;
use crate::trace::{
    AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, IntervalInfo, LockInfo, Name, PlainInfo, SemInfo, ThreadInfo,
    Trace,
};
use crate::{Illegal, PlaceId, TraceBuilder};

/// Reads a text trace.
///
/// # Errors
/// All errors: first the lines that cannot be parsed; if there are none, the first impossible event of each thread.
pub fn parse(text: &str) -> Result<Trace, TextErrors> {
    let statements = statements(text)?;
    let mut reader = Reader { shared: shared_locks(&statements), ..Reader::default() };
    for statement in &statements {
        if let Err(error) = reader.read(statement) {
            reader.errors.push(error);
        }
        if reader.errors.len() >= TextErrors::MOST {
            break;
        }
    }
    if reader.errors.is_empty() { Ok(reader.builder.finish()) } else { Err(TextErrors(reader.errors)) }
}

fn statements(text: &str) -> Result<Vec<Statement<'_>>, TextErrors> {
    let mut statements = Vec::new();
    let mut errors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match statement(Line::new(index + 1, line)) {
            Ok(statement) => statements.extend(statement),
            Err(error) => errors.push(error),
        }
        if errors.len() >= TextErrors::MOST {
            break;
        }
    }
    if errors.is_empty() { Ok(statements) } else { Err(TextErrors(errors)) }
}

/// Locks that are ever taken shared: they are reader-writer locks, unless they are declared otherwise.
fn shared_locks<'a>(statements: &[Statement<'a>]) -> FxHashSet<&'a str> {
    let shared = |statement: &Statement<'a>| match statement {
        Statement::Do { operation, .. } if matches!(operation.kind, Kind::RdLock | Kind::FailedRdLock) => {
            Some({ *operation }.name().text)
        }
        _ => None,
    };
    statements.iter().filter_map(shared).collect()
}

#[derive(Default)]
struct Reader<'a> {
    builder: TraceBuilder,
    shared: FxHashSet<&'a str>,
    threads: FxHashMap<&'a str, ThreadId>,
    locks: FxHashMap<&'a str, LockId>,
    conditions: FxHashMap<&'a str, ConditionId>,
    barriers: FxHashMap<&'a str, BarrierId>,
    sems: FxHashMap<&'a str, SemId>,
    onces: FxHashMap<&'a str, OnceId>,
    channels: FxHashMap<&'a str, ChannelId>,
    atomics: FxHashMap<&'a str, AtomicId>,
    intervals: FxHashMap<&'a str, IntervalId>,
    customs: FxHashMap<&'a str, CustomId>,
    /// Threads with an impossible event: their later events are not checked.
    stopped: FxHashSet<ThreadId>,
    errors: Vec<TextError>,
}

/// The id of a name, which is declared by its first use if necessary.
fn known<'a, T: Copy>(table: &mut FxHashMap<&'a str, T>, word: Word<'a>, declare: impl FnOnce(Name) -> T) -> T {
    *table.entry(word.text).or_insert_with(|| declare(Some(word.text.into())))
}

/// Declares a name that nothing has used yet.
fn fresh<'a, T: Copy>(
    table: &mut FxHashMap<&'a str, T>,
    word: Word<'a>,
    declare: impl FnOnce(Name) -> T,
) -> Result<(), TextError> {
    if table.contains_key(word.text) {
        return Err(word.error(TextErrorKind::Redeclared(word.text.to_owned())));
    }
    table.insert(word.text, declare(Some(word.text.into())));
    Ok(())
}

impl<'a> Reader<'a> {
    fn read(&mut self, statement: &Statement<'a>) -> Result<(), TextError> {
        match statement {
            Statement::Declare { name, address, what } => self.declare(*name, *address, what),
            Statement::Do { thread, verb, operation, place } => {
                let id = self.thread(*thread);
                let place = self.place(*place)?;
                if self.stopped.contains(&id) {
                    return Ok(());
                }
                self.perform(id, *operation, place).map_err(|illegal| {
                    self.stopped.insert(id);
                    verb.error(TextErrorKind::Illegal(illegal))
                })
            }
        }
    }

    fn place(&mut self, place: Option<Word<'a>>) -> Result<PlaceId, TextError> {
        Ok(match place {
            None => PlaceId::UNKNOWN,
            Some(word) if word.text.is_empty() => return Err(word.error(TextErrorKind::Expected("a place after `@`"))),
            Some(word) if word.text.starts_with("0x") => self.builder.at_pc(word.number()?),
            Some(word) => self.builder.at_source(word.text),
        })
    }

    fn declare(&mut self, word: Word<'a>, address: u64, what: &Declaration<'a>) -> Result<(), TextError> {
        let plain = |name| PlainInfo { name, address };
        let builder = &mut self.builder;
        match what {
            Declaration::Thread { detached } => fresh(&mut self.threads, word, |name| {
                builder.thread(ThreadInfo { name, detached: *detached, ..ThreadInfo::default() })
            }),
            Declaration::Lock(class) => {
                fresh(&mut self.locks, word, |name| builder.lock(LockInfo { class: *class, name, address }))
            }
            Declaration::Condition => {
                fresh(&mut self.conditions, word, |name| builder.condition(ConditionInfo { name, address }))
            }
            Declaration::Barrier(count) => {
                fresh(&mut self.barriers, word, |name| builder.barrier(BarrierInfo { count: *count, name, address }))
            }
            Declaration::Sem(initial) => {
                fresh(&mut self.sems, word, |name| builder.sem(SemInfo { initial: *initial, name, address }))
            }
            Declaration::Atomic { initial, size, over } => self.declare_atomic(word, address, *initial, *size, over),
            Declaration::Once => fresh(&mut self.onces, word, |name| builder.once(plain(name))),
            Declaration::Channel => fresh(&mut self.channels, word, |name| builder.channel(plain(name))),
            Declaration::Interval { length, generation } => fresh(&mut self.intervals, word, |name| {
                builder.interval(IntervalInfo { name, address, length: *length, generation: *generation })
            }),
            Declaration::Custom => fresh(&mut self.customs, word, |name| builder.custom(plain(name))),
        }
    }

    fn declare_atomic(
        &mut self,
        word: Word<'a>,
        address: u64,
        initial: Option<u64>,
        size: u8,
        over: &[Word<'a>],
    ) -> Result<(), TextError> {
        let intervals = over.iter().map(|name| self.interval(*name)).collect();
        let builder = &mut self.builder;
        fresh(&mut self.atomics, word, |name| builder.atomic(AtomicInfo { initial, size, name, address, intervals }))
    }

    fn thread(&mut self, word: Word<'a>) -> ThreadId {
        let builder = &mut self.builder;
        known(&mut self.threads, word, |name| builder.thread(ThreadInfo { name, ..ThreadInfo::default() }))
    }

    fn lock(&mut self, word: Word<'a>) -> LockId {
        let class = if self.shared.contains(word.text) { LockClass::RwLock } else { LockClass::Mutex };
        let builder = &mut self.builder;
        known(&mut self.locks, word, |name| builder.lock(LockInfo { class, name, address: 0 }))
    }

    fn condition(&mut self, word: Word<'a>) -> ConditionId {
        let builder = &mut self.builder;
        known(&mut self.conditions, word, |name| builder.condition(ConditionInfo { name, address: 0 }))
    }

    fn barrier(&mut self, word: Word<'a>) -> BarrierId {
        let builder = &mut self.builder;
        known(&mut self.barriers, word, |name| builder.barrier(BarrierInfo { name, ..BarrierInfo::default() }))
    }

    fn sem(&mut self, word: Word<'a>) -> SemId {
        let builder = &mut self.builder;
        known(&mut self.sems, word, |name| builder.unknown_sem(name, 0))
    }

    fn once(&mut self, word: Word<'a>) -> OnceId {
        let builder = &mut self.builder;
        known(&mut self.onces, word, |name| builder.once(PlainInfo { name, address: 0 }))
    }

    fn channel(&mut self, word: Word<'a>) -> ChannelId {
        let builder = &mut self.builder;
        known(&mut self.channels, word, |name| builder.channel(PlainInfo { name, address: 0 }))
    }

    fn atomic(&mut self, word: Word<'a>) -> AtomicId {
        let builder = &mut self.builder;
        known(&mut self.atomics, word, |name| builder.atomic(AtomicInfo { name, ..AtomicInfo::default() }))
    }

    fn interval(&mut self, word: Word<'a>) -> IntervalId {
        let builder = &mut self.builder;
        known(&mut self.intervals, word, |name| builder.interval(IntervalInfo { name, ..IntervalInfo::default() }))
    }

    fn custom(&mut self, word: Word<'a>) -> CustomId {
        let builder = &mut self.builder;
        known(&mut self.customs, word, |name| builder.custom(PlainInfo { name, address: 0 }))
    }

    fn perform(&mut self, thread: ThreadId, operation: Operation<'a>, place: PlaceId) -> Result<(), Illegal> {
        let Ok(event) = operation.kind.read(&mut Resolver { reader: self, operation });
        self.builder.push_read(thread, event, place)
    }
}

/// Resolves the names of one operation.
struct Resolver<'r, 'a> {
    reader: &'r mut Reader<'a>,
    operation: Operation<'a>,
}

impl foretrace_event::Reader for Resolver<'_, '_> {
    type Error = Infallible;

    fn id(&mut self, sort: Sort) -> Result<u32, Infallible> {
        let (reader, name) = (&mut *self.reader, self.operation.name());
        Ok(match sort {
            Sort::Thread => reader.thread(name).0,
            Sort::Lock => reader.lock(name).0,
            Sort::Condition => as_read(reader.condition(name)).0,
            Sort::Barrier => reader.barrier(name).0,
            Sort::Sem => reader.sem(name).0,
            Sort::Once => reader.once(name).0,
            Sort::Channel => reader.channel(name).0,
            Sort::Atomic => reader.atomic(name).0,
            Sort::Interval => reader.interval(name).0,
            Sort::Custom => reader.custom(name).0,
            Sort::Args => values::read(&mut reader.builder, name).0,
        })
    }

    fn patience(&mut self) -> Result<Patience, Infallible> {
        Ok(self.operation.patience())
    }

    fn check(&mut self) -> Result<Check, Infallible> {
        Ok(self.operation.check())
    }

    fn order(&mut self, _: Orders) -> Result<Order, Infallible> {
        Ok(self.operation.order())
    }

    fn number(&mut self) -> Result<u64, Infallible> {
        Ok(self.operation.value())
    }
}
