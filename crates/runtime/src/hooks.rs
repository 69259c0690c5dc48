//! What compilers call: the ThreadSanitizer ABI of gcc and clang.

pub mod atomic;
mod bounds;
mod branch;
mod events;
mod memory;
mod plain;
mod range;
mod symbolic;
mod wait_loop;
