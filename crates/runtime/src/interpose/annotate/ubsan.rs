//! What clang's `-fsanitize=undefined` calls beside `-fsanitize=thread`, where its own runtime would come with
//! ThreadSanitizer's: undefined behaviour is reported on the standard error, and the program goes on, as with UBSan.
//!
//! The functions have names of ours; a linker script gives them clang's (`ubsan.ld`). A place is reported once. *Deviations*: of
//! kinds other than overflows only the place and the kind are reported, without the values; the types of C++ objects
//! (`-fsanitize=vptr`) are not checked.

use crate::sys;
use crate::sys::decimal::Decimal;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A place in the source; the runtime may overwrite the column to mark the place as reported.
#[repr(C)]
pub struct Place {
    file: *const c_char,
    line: u32,
    column: AtomicU32,
}

/// A type: its kind, its width and sign, and its name.
#[repr(C)]
struct Type {
    kind: u16,
    info: u16,
    name: [c_char; 0],
}

#[repr(C)]
pub struct Overflow {
    place: Place,
    kind: *const Type,
}

/// The column of a place that has been reported.
const TOLD: u32 = u32::MAX;

/// Begins a message, unless this place has been reported.
fn begin(place: &Place) -> bool {
    let column = place.column.swap(TOLD, Ordering::Relaxed);
    if column == TOLD {
        return false;
    }
    if !place.file.is_null() {
        // SAFETY: the compiler's name of a file ends with zero.
        say(unsafe { CStr::from_ptr(place.file) }.to_bytes());
    }
    for number in [place.line, column] {
        say(b":");
        say(Decimal::new(number.into()).bytes());
    }
    say(b": runtime error: ");
    true
}

fn say(text: &[u8]) {
    sys::write(2, text);
}

fn say_number(kind: &Type, value: u64) {
    let bits = 1u32 << (kind.info >> 1);
    let signed = kind.info & 1 != 0;
    let narrow = if signed && bits < 64 { (value as i64) << (64 - bits) >> (64 - bits) } else { value as i64 };
    if signed && narrow < 0 {
        say(b"-");
    }
    let size = if signed { narrow.unsigned_abs() } else { value };
    say(Decimal::new(size).bytes());
}

/// An operation on integers whose result does not fit.
fn overflow(data: &Overflow, operator: &[u8], left: Option<u64>, right: u64) {
    if !begin(&data.place) {
        return;
    }
    // SAFETY: the compiler describes the type.
    let kind = unsafe { &*data.kind };
    let signed = kind.info & 1 != 0;
    say(if signed { b"signed integer overflow: " } else { b"unsigned integer overflow: " });
    if let Some(left) = left {
        say_number(kind, left);
    }
    say(operator);
    say_number(kind, right);
    say(b" cannot be represented in type ");
    // SAFETY: a type's name ends with zero.
    say(unsafe { CStr::from_ptr(kind.name.as_ptr()) }.to_bytes());
    say(b"\n");
}

macro_rules! overflows {
    ($($name:ident $abort:ident $operator:literal;)*) => {
        exported! {$(
            /// See [`overflow`].
            fn $name(data: *const Overflow, left: u64, right: u64) {
                // SAFETY: the compiler passes its data.
                overflow(unsafe { &*data }, $operator, Some(left), right);
            }

            /// As above, and the program ends.
            fn $abort(data: *const Overflow, left: u64, right: u64) {
                // SAFETY: the compiler passes its data.
                overflow(unsafe { &*data }, $operator, Some(left), right);
                sys::abort();
            }
        )*}
    };
}

overflows! {
    __foretrace_ubsan_add_overflow __foretrace_ubsan_add_overflow_abort b" + ";
    __foretrace_ubsan_sub_overflow __foretrace_ubsan_sub_overflow_abort b" - ";
    __foretrace_ubsan_mul_overflow __foretrace_ubsan_mul_overflow_abort b" * ";
}

macro_rules! others {
    ($($name:ident $abort:ident $text:literal;)*) => {
        exported! {$(
            /// Tells the place and what it is.
            fn $name(place: *const Place) {
                // SAFETY: the compiler's data begins with the place.
                if begin(unsafe { &*place }) {
                    say(concat!($text, "\n").as_bytes());
                }
            }

            /// As above, and the program ends.
            fn $abort(place: *const Place) {
                // SAFETY: as above.
                if begin(unsafe { &*place }) {
                    say(concat!($text, "\n").as_bytes());
                }
                sys::abort();
            }
        )*}
    };
}

others! {
    __foretrace_ubsan_negate_overflow __foretrace_ubsan_negate_overflow_abort "negation cannot be represented in its type";
    __foretrace_ubsan_divrem_overflow __foretrace_ubsan_divrem_overflow_abort "division by zero or of the smallest value";
    __foretrace_ubsan_shift_out_of_bounds __foretrace_ubsan_shift_out_of_bounds_abort "shift out of bounds";
    __foretrace_ubsan_out_of_bounds __foretrace_ubsan_out_of_bounds_abort "index out of bounds";
    __foretrace_ubsan_type_mismatch_v1 __foretrace_ubsan_type_mismatch_v1_abort
        "access through a null pointer, a misaligned address or to an object that is too small";
    __foretrace_ubsan_alignment_assumption __foretrace_ubsan_alignment_assumption_abort "assumption of alignment failed";
    __foretrace_ubsan_vla_bound_not_positive __foretrace_ubsan_vla_bound_not_positive_abort
        "variable length array bound evaluates to non-positive value";
    __foretrace_ubsan_float_cast_overflow __foretrace_ubsan_float_cast_overflow_abort
        "value is outside the range of representable values";
    __foretrace_ubsan_load_invalid_value __foretrace_ubsan_load_invalid_value_abort
        "load of a value that is not valid for its type";
    __foretrace_ubsan_implicit_conversion __foretrace_ubsan_implicit_conversion_abort
        "implicit conversion changed the value";
    __foretrace_ubsan_invalid_builtin __foretrace_ubsan_invalid_builtin_abort
        "passing zero to a builtin that is not defined for it";
    __foretrace_ubsan_function_type_mismatch __foretrace_ubsan_function_type_mismatch_abort
        "call to function through pointer to incorrect function type";
    __foretrace_ubsan_nonnull_arg __foretrace_ubsan_nonnull_arg_abort
        "null pointer passed as an argument that is declared to never be null";
    __foretrace_ubsan_nullability_arg __foretrace_ubsan_nullability_arg_abort
        "null pointer passed as an argument that is declared to never be null";
    __foretrace_ubsan_pointer_overflow __foretrace_ubsan_pointer_overflow_abort "pointer arithmetic overflowed";
    __foretrace_ubsan_cfi_check_fail __foretrace_ubsan_cfi_check_fail_abort "control flow integrity check failed";
    __foretrace_ubsan_invalid_objc_cast __foretrace_ubsan_invalid_objc_cast_abort "invalid cast of an object";
}

/// Types of objects that were found right: none, so that clang always asks.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(non_upper_case_globals)]
static __foretrace_ubsan_vptr_type_cache: [AtomicU64; 128] = [const { AtomicU64::new(0) }; 128];

exported! {
    /// The type of an object is asked for; it is taken to be right.
    fn __foretrace_ubsan_dynamic_type_cache_miss(_data: usize, _object: usize, _hash: usize) {}

    /// See [`__foretrace_ubsan_dynamic_type_cache_miss`].
    fn __foretrace_ubsan_dynamic_type_cache_miss_abort(_data: usize, _object: usize, _hash: usize) {}

    /// The end of a function that returns a value was reached without one, or what cannot be reached was.
    fn __foretrace_ubsan_builtin_unreachable(place: *const Place) {
        // SAFETY: the compiler passes its data.
        begin(unsafe { &*place });
        say(b"execution reached an unreachable program point\n");
        sys::abort();
    }

    /// See [`__foretrace_ubsan_builtin_unreachable`].
    fn __foretrace_ubsan_missing_return(place: *const Place) {
        // SAFETY: the compiler passes its data.
        begin(unsafe { &*place });
        say(b"execution reached the end of a value-returning function without returning a value\n");
        sys::abort();
    }

    /// A null pointer is returned where none may be; the place comes second.
    fn __foretrace_ubsan_nonnull_return_v1(_data: usize, place: *const Place) {
        // SAFETY: the compiler passes its data.
        if begin(unsafe { &*place }) {
            say(b"null pointer returned from function declared to never return null\n");
        }
    }
}
