//! What programs say that emit events of their user's own: `foretrace-llvm` puts these calls into them, and `foretrace.h`
//! makes them.

use crate::axes;
use crate::op::custom::Value;
use crate::run;
use crate::sys;
use crate::thread;
use crate::watch::names;
use core::ffi::{CStr, c_char, c_int};
use foretrace_event::visible::OpKind;

/// An event has at most so many values.
const MOST: usize = 8;
/// Of a text, so many bytes are kept.
const LONGEST: usize = 200;

exported! {
    /// An event with this name and these values: bit `n` of `texts` says that value `n` is the address of a text. Nothing
    /// is emitted if the conditions of the event do not hold.
    fn __foretrace_emit(name: *const c_char, count: u32, values: *const u64, texts: u32, holds: c_int) |pc| {
        if holds != 0 && axes::is_on() {
            let count = MOST.min(count as usize);
            // SAFETY: the program passes so many values.
            let given = if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(values, count) } };
            // SAFETY: the program passes a string that stays.
            unsafe { emit(name, given, texts, pc) };
        }
    }

    /// An event with one number.
    fn __foretrace_event(name: *const c_char, value: u64) |pc| {
        // SAFETY: as above.
        unsafe { emit(name, &[value], 0, pc) };
    }

    /// Reads memory, which need not be there: then it is 0.
    fn __foretrace_load(address: usize, bytes: u32, signed: c_int) -> u64 {
        let mut read = [0; 8];
        let bytes = read.len().min(bytes as usize);
        if sys::peek(address, &mut read[..bytes]) < bytes {
            return 0;
        }
        let unused = 64 - 8 * bytes as u32;
        let value = u64::from_le_bytes(read);
        match signed {
            0 => value,
            _ => (value.wrapping_shl(unused).cast_signed() >> (unused & 63)).cast_unsigned(),
        }
    }

    /// The current thread's name.
    fn __foretrace_name_thread(name: *const c_char) {
        // SAFETY: as above.
        unsafe { names::name_thread(thread::current_id(), name) };
    }
}

unsafe fn emit(name: *const c_char, given: &[u64], texts: u32, pc: usize) {
    run::begin();
    if !axes::is_live() {
        return;
    }
    // SAFETY: the program passes a string that stays.
    unsafe { names::name_custom(name) };
    // SAFETY: as above.
    if let Some(edge) = unsafe { region_edge(name) } {
        crate::op::in_gate::region(edge, pc);
    }
    let mut values = [Value::Number(0); MOST];
    for (number, (value, given)) in values.iter_mut().zip(given).enumerate() {
        let is_text = texts >> number & 1 != 0 && *given != 0;
        *value = if is_text { text(*given as usize) } else { Value::Number(*given) };
    }
    crate::op::custom::emit(name as usize, &values[..given.len()], pc);
}

/// Events of these names are the borders of regions that are meant to be atomic (`foretrace.h`).
unsafe fn region_edge(name: *const c_char) -> Option<OpKind> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller passes a string.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"enter" => Some(OpKind::RegionBegin),
        b"exit" => Some(OpKind::RegionEnd),
        _ => None,
    }
}

/// A text of the program, or what can be read of it.
fn text(address: usize) -> Value {
    let mut bytes = [0; LONGEST];
    let read = sys::peek(address, &mut bytes);
    let length = bytes[..read].iter().position(|byte| *byte == 0).unwrap_or(read);
    Value::Text(names::note_text(&bytes[..length]))
}
