#![forbid(unsafe_code)]
//! TeSSLa by itself: specifications of streams, checked, compiled and evaluated over events.
//!
//! A *stream* is a sequence of events, each a timestamp and a value, with strictly increasing timestamps;
//! several streams may have an event at the same time. A *specification* defines output streams from input
//! streams by equations. This crate decides, for every timestamp, which outputs have an event and with what
//! value.
//!
//! The language is TeSSLa 1.2 (Leucker, Sánchez, Scheffel, Schmitz, Schramm: *TeSSLa: runtime verification of
//! non-synchronized real-time streams*, SAC 2018), and behind a prelude the older dialect in which Jakšić, Li,
//! Pun and Stolz wrote the lockset algorithm (*Stream-based dynamic data race detection*, NIK 2018, section 3).
//!
//! # The way of a specification
//!
//! [`syntax`] text to tree → [`types`] names, types, where to lift → [`core`] everything explicit →
//! [`expand`] macros unfolded, functions to [`code`] → [`graph`] primitive operators → [`flow`] order and
//! checks → [`engine`] events in, events out. [`naive`] evaluates the graph by the definitions, slowly, and is
//! what the engine is tested against.
//!
//! # The primitive operators
//!
//! With `s(t)` for the event of `s` at time `t`, if there is one:
//!
//! * `default(s, v)`: `s`, and `v` at time 0 if `s` has no event there.
//! * `defaultFrom(s, d)`: `s`, and the first event of `d` if that is strictly before the first of `s`.
//! * `last(v, r)`: at each event of `r` the value of the latest event of `v` strictly before.
//! * `time(s)`: the timestamps of `s`, as values.
//! * `delay(d, r)`: a unit event when a delay ends. A delay is set by an event of `d` together with one of `r`
//!   or of the delay itself; an event of `r` without one of `d` cancels it.
//! * `merge(a, …)`: the event of the first stream that has one.
//! * `lift(a, …, f)`: `f` of the events as options; `slift`: of the current values, once all have one.
//!
//! A function that fails (division by zero) makes an event whose value is an error; where it decides about the
//! existence of an event, the event itself is unknown. Both pass through everything that needs them and only
//! matter when they reach an output.
//!
//! # Deviations
//!
//! * Arguments are evaluated eagerly, with failures as values, so that an unused failing argument does no harm;
//!   an unused argument that does not terminate does.
//! * Functions and lambdas can be lifted over any number of streams up to 64, not five.
//! * Type arguments that nothing determines are left open instead of being refused.
//! * `delay(d, d)` may be recursive, as `delayedLast` of 2018 needs it.
//! * After the end of the input, delays end only if the caller says up to when.
//! * A delay that is not positive ends the run with an error.
//!
//! # What it misses
//!
//! Event ranges and expressions in trace text, which TeSSLa dropped in 1.2; modules as values.
//!
//! # Example
//!
//! ```
//! use foretrace_stream::engine::Engine;
//! use foretrace_stream::input::{TextReader, Undeclared};
//! use foretrace_stream::output::{Format, Writer};
//!
//! let text = "in x: Events[Int]\ndef total = sum(x)\nout total";
//! let spec = foretrace_stream::compile("sum.tessla", text, &Default::default())?;
//! let (mut engine, mut bytes) = (Engine::new(spec.plan), Vec::new());
//! let mut out = Writer::new(&mut bytes, Format::Text, None);
//! let reader = TextReader { name: "trace", undeclared: Undeclared::Ignore };
//! reader.run("1: x = 2\n4: x = 3\n".as_bytes(), &mut engine, &mut out)?;
//! engine.finish(None, &mut out)?;
//! assert_eq!(bytes, b"0: total = 0\n1: total = 2\n4: total = 5\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod code;
mod compile;
pub mod core;
pub mod engine;
pub mod expand;
pub mod flow;
pub mod graph;
pub mod input;
pub mod library;
pub mod naive;
mod options;
pub mod output;
pub mod source;
pub mod syntax;
pub mod templates;
pub mod testing;
mod time;
pub mod ty;
pub mod types;
pub mod value;

pub use compile::{CompileError, Spec, compile};
pub use options::Options;
pub use syntax::Dialect;
pub use time::{TimeBase, TimeUnit};
