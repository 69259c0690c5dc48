//! Order through file descriptors: what was done before a write is visible after the read that it let through.
//!
//! Each thing that carries data from one thread to another is a *channel* ([`channel`]): a pipe, a connection, an event
//! counter, a message queue. Before data goes in, `Release` is recorded; after it came out, `Acquire`. A channel orders
//! every write before every later read, whichever bytes it returned; the real order may be weaker.
//!
//! What is in a file is one, too: a thread that reads it after another has written it may have read what that wrote, and
//! ThreadSanitizer takes it so. Terminals and devices are none, nor are the descriptors that the program was started
//! with. The locks on a file are one ([`lock`]), and so are the names of files ([`path`]).

pub mod channel;
pub mod dup;
mod io;
mod lock;
pub mod path;
mod queue;
mod socket;
mod vector;
mod wait;
