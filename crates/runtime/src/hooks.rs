//! What compilers call: the ThreadSanitizer ABI of gcc and clang.

pub mod atomic;
mod plain;
