//! `std::string`: members by the name of the member and the types of what it is given.

use crate::cxx::notes::{Arguments, Note};
use crate::op::access::{reads, writes};
use crate::op::text::reads_text;

/// The parts of a string that are always there: where its characters are, and how many.
#[repr(C)]
struct Head {
    text: *const u8,
    length: usize,
}

pub unsafe fn reads_head(pc: usize, string: usize) {
    reads(pc, string as *const Head, size_of::<Head>());
}

pub unsafe fn writes_head(pc: usize, string: usize) {
    writes(pc, string as *const Head, size_of::<Head>());
}

/// Reads a string with its characters.
pub unsafe fn reads_string(pc: usize, string: usize) {
    // SAFETY: the program passes a string.
    unsafe {
        reads_head(pc, string);
        let Head { text, length } = (string as *const Head).read();
        reads(pc, text, length);
    }
}

const CONST: &[u8] = b"_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
const PLAIN: &[u8] = b"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

/// Members that read the characters. `substr` returns a string, whose place is the first argument.
const READS_TEXT: [&[u8]; 8] = [
    b"7compare",
    b"4find",
    b"5rfind",
    b"13find_first_of",
    b"12find_last_of",
    b"17find_first_not_of",
    b"16find_last_not_of",
    b"4copy",
];
const SUBSTRING: &[u8] = b"6substr";

/// Members that change the string whatever they are given.
const CHANGES: [&[u8]; 26] = [
    b"6append",
    b"6assign",
    b"6insert",
    b"5erase",
    b"7replace",
    b"9_M_append",
    b"9_M_assign",
    b"10_M_replace",
    b"14_M_replace_aux",
    b"8_M_erase",
    b"9_M_mutate",
    b"9push_back",
    b"8pop_back",
    b"5clear",
    b"6resize",
    b"4swap",
    b"13_M_set_length",
    b"9_M_lengthEm",
    b"7_M_dataEPc",
    b"pL",
    b"aS",
    b"C1",
    b"C2",
    b"D1",
    b"D2",
    b"12_M_construct",
];

/// Members that only look where the characters are, or how many. `reserve` may do more.
const LOOKS: [&[u8]; 22] = [
    b"4size",
    b"6length",
    b"5empty",
    b"8capacity",
    b"4data",
    b"5c_str",
    b"5begin",
    b"3end",
    b"6cbegin",
    b"4cend",
    b"6rbegin",
    b"4rend",
    b"7crbegin",
    b"5crend",
    b"5front",
    b"4back",
    b"2at",
    b"ix",
    b"7reserve",
    b"13shrink_to_fit",
    b"8_M_check",
    b"10_M_dispose",
];

/// What a member is given besides, if it reads that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Nothing,
    /// Another string.
    String,
    /// Characters, and how many.
    Bytes,
    /// Characters with an end.
    Text,
}

/// What the types of the parameters say, which stand behind the member's name.
fn given(parameters: &[u8]) -> Given {
    let begins = |start: &[u8]| parameters.starts_with(start);
    match () {
        () if begins(b"ERKS4_") => Given::String,
        () if begins(b"EPKcm") => Given::Bytes,
        () if begins(b"EPKc") && parameters.len() == 4 => Given::Text,
        () => Given::Nothing,
    }
}

/// The note for a member.
pub fn note_for(name: &[u8]) -> Option<Note> {
    let (member, is_const) = match name.strip_prefix(CONST) {
        Some(member) => (member, true),
        None => (name.strip_prefix(PLAIN)?, false),
    };
    if is_const && member.starts_with(SUBSTRING) {
        return Some(substring);
    }
    let rest = |names: &[&'static [u8]]| names.iter().find_map(|known| member.strip_prefix(*known));
    if is_const && let Some(parameters) = rest(&READS_TEXT) {
        return Some(if given(parameters) == Given::String { compares } else { reads_own });
    }
    if !is_const && member.starts_with(b"4swap") {
        return Some(swaps);
    }
    if !is_const && let Some(parameters) = rest(&CHANGES) {
        return Some(match given(parameters) {
            Given::Nothing => changes,
            Given::String => changes_by_string,
            Given::Bytes => changes_by_bytes,
            Given::Text => changes_by_text,
        });
    }
    rest(&LOOKS).map(|_| looks as Note)
}

unsafe fn substring([_, own, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a string.
    unsafe { reads_string(pc, *own) };
}

unsafe fn compares([own, other, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes two strings.
    unsafe {
        reads_string(pc, *own);
        reads_string(pc, *other);
    }
}

unsafe fn reads_own([own, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a string.
    unsafe { reads_string(pc, *own) };
}

unsafe fn looks([own, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a string.
    unsafe { reads_head(pc, *own) };
}

unsafe fn changes([own, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a string.
    unsafe { writes_head(pc, *own) };
}

unsafe fn swaps([own, other, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes two strings.
    unsafe {
        writes_head(pc, *own);
        writes_head(pc, *other);
    }
}

unsafe fn changes_by_string([own, other, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes two strings.
    unsafe {
        reads_string(pc, *other);
        writes_head(pc, *own);
    }
}

unsafe fn changes_by_bytes([own, text, length, ..]: &Arguments, pc: usize) {
    reads(pc, *text as *const u8, *length);
    // SAFETY: the program passes a string.
    unsafe { writes_head(pc, *own) };
}

unsafe fn changes_by_text([own, text, ..]: &Arguments, pc: usize) {
    // SAFETY: the program passes a string and characters with an end.
    unsafe {
        reads_text(pc, *text as *const _);
        writes_head(pc, *own);
    }
}
