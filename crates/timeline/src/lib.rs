//! A whole run as a picture: what each thread did, which locks it held meanwhile, and which thread released which.
//!
//! * [`chrome::write`] writes Chrome's trace-event format, which Perfetto opens: a track for each thread, a slice for
//!   each operation, around them slices for critical sections, waits and barriers, arrows from the operation that
//!   releases a thread to the one that was released, and marks at events that the caller names.
//! * [`Overview`] counts: events of threads, hand-overs of locks, and which threads use which memory under which locks;
//!   [`Overview::page`] is the result as a page of HTML.
//!
//! **Definitions.** An event *causes* another if the second could not have taken place before the first in the recorded
//! run: a fork and the start of its thread, an unlock and the next lock of another thread, a signal and the wait that it
//! woke ([`Causes`]). A *hand-over* is an acquisition of a lock that another thread held last.
//!
//! **What it misses.** Recordings have no clock: the time axis is the order of events, one unit for each. How long a
//! thread waited for a lock is therefore not visible. A semaphore's posts are matched with its waits in the order of the
//! run. Accesses are known by segment, so their order within a segment is not.
//!
//! ```
//! let trace = foretrace_trace::text::parse("main fork t1\nt1 lock m\nt1 unlock m\nmain join t1")?;
//! let mut json = Vec::new();
//! let options = foretrace_timeline::chrome::Options::default();
//! foretrace_timeline::chrome::write(&trace, &options, &mut json).expect("memory takes all writes");
//! let json = String::from_utf8(json).expect("JSON is text");
//! assert!(json.contains(r#""name":"holds m""#));
//! # Ok::<(), foretrace_trace::text::TextErrors>(())
//! ```
#![forbid(unsafe_code)]

mod causes;
pub mod chrome;
mod open;
mod overview;

pub use causes::Causes;
pub use overview::Overview;
