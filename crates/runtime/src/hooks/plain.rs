//! A table: one hook a size and kind of plain access, as the compilers name them.
//!
//! Hooks of 16 bytes are aligned to 8 only, so they may cross the end of a line like the unaligned ones.

use crate::sink::lines::{READ, WRITE};
use foretrace_event::table;

const _: () = assert!(table::FOLD + 3 == table::TAG_SHIFT && table::LINE_BITS >= 3);

/// A hook: looks for the line, sets the bits, or takes the slow path. `$check` comes first and may jump to `3:`.
macro_rules! hook {
    ($name:ident, $size:literal, $kind:expr $(, $check:expr)*) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(address: usize) {
            core::arch::naked_asm!(
                $($check,)*
                "mov rsi, qword ptr [rip + ft_tls@gottpoff]",
                "mov rdx, qword ptr fs:[rsi]",
                "mov rcx, rdi",
                "shr rcx, {tag_shift}",
                // The address folded, but for bits that the next shift drops.
                "lea eax, [8 * rcx]",
                "xor eax, edi",
                "shr eax, {line_bits}",
                "and eax, dword ptr fs:[rsi + {slot_mask}]",
                // An entry is three words.
                "lea esi, [rax + 2 * rax]",
                "cmp dword ptr [rdx + 8 * rsi], ecx",
                "jne 4f",
                "2:",
                "mov ecx, edi",
                "mov eax, {mask}",
                "shl rax, cl",
                ".if {kind} & 1",
                "or qword ptr [rdx + 8 * rsi + {reads}], rax",
                ".endif",
                ".if {kind} & 2",
                "or qword ptr [rdx + 8 * rsi + {writes}], rax",
                ".endif",
                "ret",
                "4:",
                "mov rsi, qword ptr [rip + ft_tls@gottpoff]",
                "mov r8, qword ptr fs:[rsi + {recent}]",
                "test r8, r8",
                "jnz 5f",
                // The second place: see `other`.
                "mov esi, dword ptr fs:[rsi + {slot_mask}]",
                "inc esi",
                "shr esi, 1",
                "xor eax, esi",
                "lea esi, [rax + 2 * rax]",
                "cmp dword ptr [rdx + 8 * rsi], ecx",
                "je 2b",
                "3:",
                "mov esi, {what}",
                "mov rdx, qword ptr [rsp]",
                "mov rcx, rbp",
                "jmp {slow}",
                // The latest line of this place: see `lines/recent.rs`.
                "5:",
                "mov rdx, qword ptr [rsp]",
                "mov eax, edx",
                "and eax, {places} - 1",
                "shl eax, {shift}",
                "cmp qword ptr [r8 + rax], rdx",
                "jne 3b",
                "mov rcx, rdi",
                "shr rcx, {line_bits}",
                "cmp qword ptr [r8 + rax + {line}], rcx",
                "jne 3b",
                "mov r8, qword ptr [r8 + rax + {entry}]",
                "mov ecx, edi",
                "mov eax, {mask}",
                "shl rax, cl",
                ".if {kind} & 1",
                "or qword ptr [r8 + {reads}], rax",
                ".endif",
                ".if {kind} & 2",
                "or qword ptr [r8 + {writes}], rax",
                ".endif",
                "ret",
                // Aligns the section, and so the hook: what a hit takes of it fits into one line of the cache.
                ".p2align 6",
                slot_mask = const $crate::thread::tls::SLOT_MASK,
                recent = const $crate::thread::tls::RECENT,
                places = const $crate::sink::lines::RECENT_PLACES,
                shift = const $crate::sink::lines::RECENT_SHIFT,
                line = const $crate::sink::lines::RECENT_LINE,
                entry = const $crate::sink::lines::RECENT_ENTRY,
                line_bits = const foretrace_event::table::LINE_BITS,
                tag_shift = const foretrace_event::table::TAG_SHIFT,
                reads = const foretrace_event::table::READS,
                writes = const foretrace_event::table::WRITES,
                mask = const (1u64 << $size) - 1,
                kind = const $kind,
                what = const $size | $kind << 8,
                slow = sym $crate::op::access::slow,
            )
        }
    };
}

/// A hook for accesses that lie within a line, being aligned to their size.
macro_rules! aligned_hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {
        $(hook!($name, $size, $kind);)*
    };
}

/// A hook for accesses that may cross the end of a line; those take the slow path.
macro_rules! crossing_hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {
        $(hook!($name, $size, $kind, "mov ecx, edi", "and ecx, 63", concat!("cmp ecx, 64 - ", $size), "ja 3f");)*
    };
}

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
