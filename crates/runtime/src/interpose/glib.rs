//! GLib's locks, conditions, queues and pools. GLib makes them of futexes inside a library that nobody instruments, so
//! its functions are interposed where programs call them. The runtime does not need GLib: who calls one of these functions
//! has it.
//!
//! Objects that hand something from one thread to another are channels: queues, the work of pools, callbacks of a main loop,
//! and the counts of references, whose last holder sees what all others did.

mod condition;
mod hand_over;
mod lock;
mod once;

use core::ffi::c_int;

/// GLib's truth values.
type Boolean = c_int;
/// A pointer to something of GLib's or of the program's.
type Pointer = *mut core::ffi::c_void;
