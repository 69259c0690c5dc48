//! What compilers call: the ThreadSanitizer ABI of gcc and clang.

mod plain;
