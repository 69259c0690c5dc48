//! A table: one hook a size and kind of plain access, as the compilers name them.
//!
//! Hooks of 16 bytes are aligned to 8 only, so they may cross the end of a line like the unaligned ones.

use crate::sink::lines::READ;
use crate::sink::lines::WRITE;
use crate::sink::lines::aligned_hooks;
use crate::sink::lines::crossing_hooks;
use crate::sink::lines::hook;

const BOTH: u32 = READ | WRITE;

aligned_hooks! {
    __tsan_read1 1 READ;
    __tsan_read2 2 READ;
    __tsan_read4 4 READ;
    __tsan_read8 8 READ;
    __tsan_write1 1 WRITE;
    __tsan_write2 2 WRITE;
    __tsan_write4 4 WRITE;
    __tsan_write8 8 WRITE;
    __tsan_read_write1 1 BOTH;
    __tsan_read_write2 2 BOTH;
    __tsan_read_write4 4 BOTH;
    __tsan_read_write8 8 BOTH;
    __tsan_volatile_read1 1 READ;
    __tsan_volatile_read2 2 READ;
    __tsan_volatile_read4 4 READ;
    __tsan_volatile_read8 8 READ;
    __tsan_volatile_write1 1 WRITE;
    __tsan_volatile_write2 2 WRITE;
    __tsan_volatile_write4 4 WRITE;
    __tsan_volatile_write8 8 WRITE;
    __tsan_unaligned_read1 1 READ;
    __tsan_unaligned_write1 1 WRITE;
    __tsan_unaligned_read_write1 1 BOTH;
    __tsan_unaligned_volatile_read1 1 READ;
    __tsan_unaligned_volatile_write1 1 WRITE;
}

crossing_hooks! {
    __tsan_read16 16 READ;
    __tsan_write16 16 WRITE;
    __tsan_read_write16 16 BOTH;
    __tsan_volatile_read16 16 READ;
    __tsan_volatile_write16 16 WRITE;
    __tsan_unaligned_read2 2 READ;
    __tsan_unaligned_read4 4 READ;
    __tsan_unaligned_read8 8 READ;
    __tsan_unaligned_read16 16 READ;
    __tsan_unaligned_write2 2 WRITE;
    __tsan_unaligned_write4 4 WRITE;
    __tsan_unaligned_write8 8 WRITE;
    __tsan_unaligned_write16 16 WRITE;
    __tsan_unaligned_read_write2 2 BOTH;
    __tsan_unaligned_read_write4 4 BOTH;
    __tsan_unaligned_read_write8 8 BOTH;
    __tsan_unaligned_read_write16 16 BOTH;
    __tsan_unaligned_volatile_read2 2 READ;
    __tsan_unaligned_volatile_read4 4 READ;
    __tsan_unaligned_volatile_read8 8 READ;
    __tsan_unaligned_volatile_read16 16 READ;
    __tsan_unaligned_volatile_write2 2 WRITE;
    __tsan_unaligned_volatile_write4 4 WRITE;
    __tsan_unaligned_volatile_write8 8 WRITE;
    __tsan_unaligned_volatile_write16 16 WRITE;
}
