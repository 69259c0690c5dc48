//! Accesses of any size, and accesses whose place is passed along: by gcc for what has no hook of its own, and by
//! tools that generate code (JITs, Archer, Swift).

use crate::op::access::{access, series};
use crate::sink::lines::{READ, WRITE};

exported! {
    /// Bytes that are read.
    fn __tsan_read_range(at: usize, bytes: usize) |pc| {
        access(at, bytes, READ, pc);
    }

    /// Bytes that are written.
    fn __tsan_write_range(at: usize, bytes: usize) |pc| {
        access(at, bytes, WRITE, pc);
    }

    /// Bytes that are read by the code at `pc`.
    fn __tsan_read_range_pc(at: usize, bytes: usize, pc: usize) {
        access(at, bytes, READ, pc);
    }

    /// Bytes that are written by the code at `pc`.
    fn __tsan_write_range_pc(at: usize, bytes: usize, pc: usize) {
        access(at, bytes, WRITE, pc);
    }

    /// Accesses of a loop, told before it: `foretrace-llvm` puts the call there. Below bit 32 of `what` is the size, the
    /// kind from there.
    fn __foretrace_loop(at: usize, step: isize, count: usize, what: u64) |pc| {
        series(at, step, count, (what & 0xffff_ffff) as usize, (what >> 32) as u32, pc);
    }

    /// A pointer to a table of virtual functions is about to be read.
    fn __tsan_vptr_read(pointer: usize) |pc| {
        access(pointer, 8, READ, pc);
    }

    /// A pointer to a table of virtual functions is about to be written. Destructors write the one that is there already:
    /// that changes nothing for a thread that calls a virtual function meanwhile.
    fn __tsan_vptr_update(pointer: *const usize, table: usize) |pc| {
        // SAFETY: the program is about to write there.
        if unsafe { pointer.read_volatile() } != table {
            access(pointer as usize, 8, WRITE, pc);
        }
    }
}

/// A hook that is told the place.
macro_rules! placed_hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {
        exported! {$(
            /// An access by the code at `pc`.
            fn $name(at: usize, pc: usize) {
                access(at, $size, $kind, pc);
            }
        )*}
    };
}

placed_hooks! {
    __tsan_read1_pc 1 READ;
    __tsan_read2_pc 2 READ;
    __tsan_read4_pc 4 READ;
    __tsan_read8_pc 8 READ;
    __tsan_read16_pc 16 READ;
    __tsan_write1_pc 1 WRITE;
    __tsan_write2_pc 2 WRITE;
    __tsan_write4_pc 4 WRITE;
    __tsan_write8_pc 8 WRITE;
    __tsan_write16_pc 16 WRITE;
}
