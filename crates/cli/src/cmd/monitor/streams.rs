//! The streams that a recording has events of, and which of them a specification wants.

use super::places::Part;
use anyhow::bail;
use foretrace_stream::ty::Ty;
use foretrace_stream::types::InputDecl;

/// The streams of a recording and the types of their events.
pub const STREAMS: [(&str, Ty); 27] = [
    ("threadid", Ty::Int),
    ("function", Ty::Str),
    ("line", Ty::Int),
    ("column", Ty::Int),
    ("instruction", Ty::Str),
    ("readaddr", Ty::Int),
    ("writeaddr", Ty::Int),
    ("readvar", Ty::Str),
    ("writevar", Ty::Str),
    ("varaddr", Ty::Int),
    ("varsize", Ty::Int),
    ("varoffset", Ty::Int),
    ("mutexlock", Ty::Str),
    ("mutexlockaddr", Ty::Int),
    ("mutexunlock", Ty::Str),
    ("mutexunlockaddr", Ty::Int),
    ("mutexlockini", Ty::Int),
    ("pcreate", Ty::Unit),
    ("pcreateid", Ty::Int),
    ("pjoinid", Ty::Int),
    ("condsignaladdr", Ty::Int),
    ("condwaitaddr", Ty::Int),
    ("barrieraddr", Ty::Int),
    ("sempostaddr", Ty::Int),
    ("semwaitaddr", Ty::Int),
    ("gap", Ty::Int),
    ("file", Ty::Str),
];

/// A stream, by its place among [`STREAMS`].
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Stream {
    ThreadId,
    Function,
    Line,
    Column,
    Instruction,
    ReadAddr,
    WriteAddr,
    ReadVar,
    WriteVar,
    VarAddr,
    VarSize,
    VarOffset,
    MutexLock,
    MutexLockAddr,
    MutexUnlock,
    MutexUnlockAddr,
    MutexLockIni,
    PCreate,
    PCreateId,
    PJoinId,
    CondSignalAddr,
    CondWaitAddr,
    BarrierAddr,
    SemPostAddr,
    SemWaitAddr,
    Gap,
    File,
}

impl Part {
    pub fn stream(self) -> Stream {
        match self {
            Part::Function => Stream::Function,
            Part::Line => Stream::Line,
            Part::Column => Stream::Column,
            Part::File => Stream::File,
        }
    }
}

/// An input of the specification that a recording has events for.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub input: usize,
    /// It is declared as a stream of units: only that there is an event matters.
    pub unit: bool,
}

/// The stream of an input, and what the specification wants of it.
pub fn connect(index: usize, decl: &InputDecl) -> anyhow::Result<(usize, Wanted)> {
    let Some(stream) = STREAMS.iter().position(|(name, _)| *name == &*decl.name) else {
        let names: Vec<&str> = STREAMS.iter().map(|(name, _)| *name).collect();
        bail!("a recording never has events of input `{}`; it has {}", decl.name, names.join(", "));
    };
    let ty = &STREAMS[stream].1;
    if decl.ty != *ty && decl.ty != Ty::Unit {
        bail!("input `{}` has events of type {}, a recording's are of type {ty}", decl.name, decl.ty);
    }
    Ok((stream, Wanted { input: index, unit: decl.ty == Ty::Unit }))
}
