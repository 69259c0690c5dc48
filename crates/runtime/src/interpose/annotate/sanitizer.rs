//! The rest of the sanitizers' interface, with answers that fit a run without reports: settings are accepted, questions
//! about reports find none. The functions that users define (`__tsan_default_options`, `__tsan_on_report`, …) stay
//! theirs.

use crate::op::access::access;
use crate::sink::lines::{READ, WRITE};
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null;

/// What an external library calls its kind of object: all are accesses alike.
type Tag = *mut c_void;

real_function!(fn malloc_usable_size(at: *mut c_void) -> usize);
real_function!(fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void);
real_function!(fn memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void);

exported! {
    /// A kind of object of an external library.
    fn __tsan_external_register_tag(_kind: *const c_char) -> Tag {
        core::ptr::without_provenance_mut(1)
    }

    /// A headline for reports about such objects.
    fn __tsan_external_register_header(_tag: Tag, _headline: *const c_char) {}

    /// The kind of a block.
    fn __tsan_external_assign_tag(_at: *mut c_void, _tag: Tag) {}

    /// An operation of an external library that reads its object.
    fn __tsan_external_read(at: usize, pc: usize, _tag: Tag) {
        access(at, 1, READ, pc);
    }

    /// An operation of an external library that changes its object.
    fn __tsan_external_write(at: usize, pc: usize, _tag: Tag) {
        access(at, 1, WRITE, pc);
    }

    /// There is no shadow memory to flush.
    fn __tsan_flush_memory() {}

    /// There is no report.
    fn __tsan_get_current_report() -> *mut c_void {
        core::ptr::null_mut()
    }

    /// Nothing is known of the address.
    fn __tsan_locate_address(
        _at: usize, name: *mut c_char, size: usize, region: *mut usize, bytes: *mut usize,
    ) -> *const c_char {
        // SAFETY: the program passes places for the answers, or null.
        unsafe {
            if !name.is_null() && size != 0 {
                name.write(0);
            }
            if !region.is_null() {
                region.write(0);
            }
            if !bytes.is_null() {
                bytes.write(0);
            }
        }
        c"".as_ptr()
    }

    /// No stacks of allocations are kept.
    fn __tsan_get_alloc_stack(
        _at: usize, _trace: *mut usize, _size: usize, _thread: *mut c_int, _os_id: *mut u64,
    ) -> c_int {
        0
    }

    /// Reports are not written by the program.
    fn __sanitizer_set_report_path(_path: *const c_char) {}
    /// Reports are not written by the program.
    fn __sanitizer_set_report_fd(_fd: *mut c_void) {}
    /// Reports are not written by the program.
    fn __sanitizer_get_report_path() -> *const c_char {
        null()
    }
    /// The program does not die of a report.
    fn __sanitizer_set_death_callback(_callback: *mut c_void) {}
    /// Stacks are found off line.
    fn __sanitizer_print_stack_trace() {}
    /// Places are named off line.
    fn __sanitizer_symbolize_pc(_pc: usize, _format: *const c_char, out: *mut c_char, size: usize) {
        // SAFETY: the program passes a buffer of that size.
        unsafe { end_text(out, size) };
    }
    /// Places are named off line.
    fn __sanitizer_symbolize_global(_at: usize, _format: *const c_char, out: *mut c_char, size: usize) {
        // SAFETY: the program passes a buffer of that size.
        unsafe { end_text(out, size) };
    }
    /// The allocator is the program's own.
    fn __sanitizer_install_malloc_and_free_hooks(_malloc: *mut c_void, _free: *mut c_void) -> c_int {
        0
    }
    /// There is no report to sum up.
    fn __sanitizer_report_error_summary(_summary: *const c_char) {}
    /// Nothing depends on files that a sandbox would hide.
    fn __sanitizer_sandbox_on_notify(_arguments: *mut c_void) {}

    /// The program's own options: it has none, unless it defines this function itself.
    fn __tsan_default_options() -> *const c_char {
        c"".as_ptr()
    }

    /// The program's own suppressions: it has none, unless it defines this function itself.
    fn __tsan_default_suppressions() -> *const c_char {
        c"".as_ptr()
    }

    /// How much memory a block has.
    fn __sanitizer_get_allocated_size(at: *mut c_void) -> usize {
        // SAFETY: the program passes a block that it has allocated.
        unsafe { malloc_usable_size(at) }
    }

    /// As [`__sanitizer_get_allocated_size`].
    fn __sanitizer_get_allocated_size_fast(at: *mut c_void) -> usize {
        // SAFETY: as above.
        unsafe { malloc_usable_size(at) }
    }

    /// How much memory a block of that size would have, at least.
    fn __sanitizer_get_estimated_allocated_size(bytes: usize) -> usize {
        bytes
    }

    /// A copy that no detector sees.
    fn __sanitizer_internal_memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void {
        // SAFETY: the program's own arguments.
        unsafe { memmove(to, from, bytes) }
    }

    /// A copy that no detector sees.
    fn __sanitizer_internal_memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void {
        // SAFETY: the program's own arguments.
        unsafe { memmove(to, from, bytes) }
    }

    /// Bytes that are set without a detector.
    fn __sanitizer_internal_memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void {
        // SAFETY: the program's own arguments.
        unsafe { memset(to, value, bytes) }
    }

    /// Reads two bytes at any address.
    fn __sanitizer_unaligned_load16(at: *const u16) -> u16 |pc| {
        access(at as usize, 2, READ, pc);
        // SAFETY: the program's own argument.
        unsafe { at.read_unaligned() }
    }

    /// Reads four bytes at any address.
    fn __sanitizer_unaligned_load32(at: *const u32) -> u32 |pc| {
        access(at as usize, 4, READ, pc);
        // SAFETY: the program's own argument.
        unsafe { at.read_unaligned() }
    }

    /// Reads eight bytes at any address.
    fn __sanitizer_unaligned_load64(at: *const u64) -> u64 |pc| {
        access(at as usize, 8, READ, pc);
        // SAFETY: the program's own argument.
        unsafe { at.read_unaligned() }
    }

    /// Writes two bytes at any address.
    fn __sanitizer_unaligned_store16(at: *mut u16, value: u16) |pc| {
        access(at as usize, 2, WRITE, pc);
        // SAFETY: the program's own arguments.
        unsafe { at.write_unaligned(value) };
    }

    /// Writes four bytes at any address.
    fn __sanitizer_unaligned_store32(at: *mut u32, value: u32) |pc| {
        access(at as usize, 4, WRITE, pc);
        // SAFETY: the program's own arguments.
        unsafe { at.write_unaligned(value) };
    }

    /// Writes eight bytes at any address.
    fn __sanitizer_unaligned_store64(at: *mut u64, value: u64) |pc| {
        access(at as usize, 8, WRITE, pc);
        // SAFETY: the program's own arguments.
        unsafe { at.write_unaligned(value) };
    }
}

unsafe fn end_text(out: *mut c_char, size: usize) {
    if size != 0 && !out.is_null() {
        // SAFETY: the buffer has a byte.
        unsafe { out.write(0) };
    }
}

/// Questions about the parts of a report: there is none, so the answer is always no.
macro_rules! report_questions {
    ($($name:ident)*) => {
        exported! {$(
            /// There is no report.
            fn $name() -> c_int {
                0
            }
        )*}
    };
}

report_questions! {
    __tsan_get_report_data
    __tsan_get_report_loc
    __tsan_get_report_loc_object_type
    __tsan_get_report_mop
    __tsan_get_report_mutex
    __tsan_get_report_stack
    __tsan_get_report_tag
    __tsan_get_report_thread
    __tsan_get_report_unique_tid
    __tsan_get_report_sleep
}
