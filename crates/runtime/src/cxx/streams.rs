//! Streams: to write to one or to read from it changes it, and the standard makes that a race, except on the standard
//! streams (`cout` and the others, [iostream.objects.overview]).

use crate::cxx::Name;
use crate::cxx::notes::{Arguments, Note};
use crate::cxx::strings::{reads_string, writes_head};
use crate::op::access::{reads, writes};
use crate::op::text::reads_text;
use Name::{Begins, Is};
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The streams that every thread may use, once they are known.
static STANDARD: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
const NAMES: [&CStr; 4] = [c"_ZSt4cout", c"_ZSt4cerr", c"_ZSt4clog", c"_ZSt3cin"];

fn is_standard(stream: usize) -> bool {
    if STANDARD[0].load(Ordering::Relaxed) == 0 {
        for (known, name) in STANDARD.iter().zip(NAMES) {
            // SAFETY: the name ends with zero; a null handle asks for the loader's order.
            known.store(unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) } as usize, Ordering::Relaxed);
        }
    }
    STANDARD.iter().any(|known| known.load(Ordering::Relaxed) == stream)
}

/// Changes a stream: the width of what is written next, which every formatted operation sets back.
unsafe fn changes(pc: usize, stream: usize) {
    /// Where the distance to the part that all streams have stands, before the table of virtual functions.
    const TO_COMMON_PART: isize = -3;
    /// Where in that part the width is.
    const WIDTH: usize = 16;
    if is_standard(stream) {
        return;
    }
    // SAFETY: the program passes a stream; the layout is that of the C++ ABI and of libstdc++.
    unsafe {
        let table = *(stream as *const *const isize);
        let common = stream.wrapping_add_signed(*table.offset(TO_COMMON_PART));
        writes(pc, (common + WIDTH) as *const u8, size_of::<usize>());
    }
}

unsafe fn stream([stream, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a stream.
    unsafe { changes(pc, *stream) };
}

unsafe fn bytes([stream, text, length, ..]: &Arguments, pc: usize) {
    reads(pc, *text as *const u8, *length);
    // SAFETY: the program passes a stream.
    unsafe { changes(pc, *stream) };
}

unsafe fn text([stream, text, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a stream and characters with an end.
    unsafe {
        reads_text(pc, *text as *const _);
        changes(pc, *stream);
    }
}

unsafe fn string_out([stream, string, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a stream and a string.
    unsafe {
        reads_string(pc, *string);
        changes(pc, *stream);
    }
}

unsafe fn string_in([stream, string, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a stream and a string.
    unsafe {
        writes_head(pc, *string);
        changes(pc, *stream);
    }
}

pub const TABLE: [(Name, Note); 13] = [
    (Begins(b"_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostream"), string_out),
    (Begins(b"_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istream"), string_in),
    (Begins(b"_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istream"), string_in),
    (Begins(b"_ZSt16__ostream_insertIcSt11char_traitsIcEE"), bytes),
    (Is(b"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"), text),
    (Is(b"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c"), stream),
    (Is(b"_ZNSo5writeEPKcl"), bytes),
    (Begins(b"_ZNSolsE"), stream),
    (Begins(b"_ZNSo9_M_insertI"), stream),
    (Is(b"_ZNSo3putEc"), stream),
    (Begins(b"_ZNSirsE"), stream),
    (Begins(b"_ZNSi3getE"), stream),
    (Begins(b"_ZNSi4readE"), stream),
];
