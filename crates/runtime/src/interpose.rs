//! What programs call: functions of libc that synchronise, allocate or touch memory, each with its record.

mod mutex;
pub mod signal;
mod thread;
