//! What compilers call: the ThreadSanitizer ABI of gcc and clang.

pub mod atomic;
mod bounds;
mod memory;
mod plain;
mod range;
