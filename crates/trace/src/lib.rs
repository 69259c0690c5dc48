//! Opens a recording, a text trace or an STD trace, checks it and normalises it: `Recording → Trace`.
//!
//! * [`Recording`] is what a run left on disk. It is decoded as it is read.
//! * [`Trace`] is the form every analysis reads: dense ids, condition instances, memory as intervals, and always a legal
//!   history. [`TraceBuilder`] makes one event by event; every form is read through it.
//! * [`text`] is the form a person writes in a test, [`convert`] turns all forms into each other.
//! * [`check`] decides whether a recording or a trace is a legal history, independently of everything else here.
//! * [`Info`], [`dump`] and [`Symbols`] are for people: sizes, listings, files and lines and variables.
//!
//! The model is that of RaceQuest (thesis, sections 4.3 and 5.2). `docs/format.md` describes the forms.
//!
//! **Deviations.** Waits prefer the signals sent since they began over the nearest earlier one; threads without a
//! recorded creation are allowed, and exist from the beginning; a lock may be released by a thread that does not own
//! it; atomic operations carry their values; bytes are grouped by the segments that access them, not by the threads; an
//! atomic store counts as a write of its bytes, so that a plain read can race with it.
//!
//! **What it misses.** The order of plain accesses within a segment; stack memory that a thread reuses from one call to
//! the next; two locks that use one address in turn when nothing tells them apart. A line of memory whose bytes are
//! accessed one by one becomes one event for each interval, so such a trace is many times the size of its recording.
//!
//! ```
//! use foretrace_event::{Event, ThreadId};
//!
//! let trace = foretrace_trace::text::parse(
//!     "main fork worker
//!      worker write x @ worker.c:7
//!      main read x",
//! )?;
//! let worker = ThreadId(1);
//! assert_eq!(trace.name(worker), "worker");
//! let events: Vec<Event> = trace.events(worker).collect();
//! assert!(matches!(events[..], [Event::Start, Event::Write(_)]));
//! # Ok::<(), foretrace_trace::text::TextErrors>(())
//! ```
#![forbid(unsafe_code)]

mod builder;
pub mod check;
pub mod convert;
pub mod dump;
mod illegal;
mod info;
mod normalise;
mod note;
mod recording;
mod symbols;
pub mod text;
mod trace;

pub use builder::{PlaceId, TraceBuilder};
pub use illegal::Illegal;
pub use info::Info;
pub use note::Note;
pub use recording::{
    Damage, Entry, Header, Limits, Merged, Module, RecordedThread, Recording, RecordingError, RecordingWriter, Records,
    fold,
};
pub use symbols::{InBlock, Location, Symbols};
pub use trace::{
    AllocationInfo, AtomicInfo, BarrierInfo, ConditionId, ConditionInfo, InstanceInfo, IntervalInfo, LockInfo, Name,
    Named, Observed, Place, PlainInfo, SemInfo, Stats, ThreadInfo, Trace,
};
