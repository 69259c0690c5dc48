//! Calls of functions that are not libc's, noticed where instrumented code makes them: what the C++ library does to strings,
//! streams, trees and lists in its own code is done for the caller.
//!
//! These functions are not interposed: a definition of ours would take the place of the library when a program is linked,
//! and there is none to go on to when the library is part of the program. Instead, the slots through which instrumented
//! modules call them are filled with *stubs*. A stub has the accesses noted, and goes on to the function with all
//! registers as they were. It is done only when the program is recorded or replayed.

use crate::cxx::notes::{Arguments, Note};
use crate::sys::elf::{self, Module};
use crate::sys::linkmap::Modules;
use crate::thread::callers;
use crate::thread::tls::Section;
use crate::{axes, cxx, sys};
use core::arch::global_asm;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicUsize, Ordering};

/// How many functions can be noticed; a large program calls a few dozen.
const STUBS: usize = 256;

/// What a stub does. All are zero until they are used.
struct Stub {
    function: AtomicUsize,
    /// A [`Note`].
    note: AtomicUsize,
}

static USED: [Stub; STUBS] = [const { Stub { function: AtomicUsize::new(0), note: AtomicUsize::new(0) } }; STUBS];

// The stubs: each says which it is.
global_asm!(
    ".text",
    ".balign 16",
    ".hidden ft_stubs",
    ".globl ft_stubs",
    ".type ft_stubs, @function",
    "ft_stubs:",
    ".set ft_number, 0",
    ".rept {count}",
    ".balign 16",
    "mov r11d, ft_number",
    "jmp {common}",
    ".set ft_number, ft_number + 1",
    ".endr",
    ".size ft_stubs, . - ft_stubs",
    count = const STUBS,
    common = sym common,
);

const STUB_SIZE: usize = 16;

unsafe extern "C" {
    static ft_stubs: [u8; STUBS * STUB_SIZE];
}

/// Saves all arguments, has the call noted, and goes on.
#[unsafe(naked)]
unsafe extern "C" fn common() {
    keep_arguments!(
        [
            "mov r10, qword ptr [rip + ft_tls@gottpoff]",
            "mov rax, qword ptr [rbp + 8]",
            "mov qword ptr fs:[r10 + {caller}], rax",
            "mov rax, qword ptr [rbp]",
            "mov qword ptr fs:[r10 + {frame}], rax",
            "mov rdi, rsp",
            "mov esi, r11d",
        ],
        ["jmp r11"],
        called = sym noted,
        caller = const crate::thread::tls::CALLER,
        frame = const crate::thread::tls::FRAME,
    )
}

/// Notes a call; the function to go on to.
unsafe extern "C" fn noted(arguments: &Arguments, number: u32) -> usize {
    let stub = &USED[number as usize];
    let pc = crate::thread::tls::caller();
    if crate::op::access::counts(pc) {
        // SAFETY: what was stored there is a note, before the slot that leads here was filled.
        let note: Note = unsafe { core::mem::transmute(stub.note.load(Ordering::Relaxed)) };
        // SAFETY: the arguments are those of the function that the note is about.
        unsafe { note(arguments, pc) };
    }
    stub.function.load(Ordering::Relaxed)
}

/// The stub for a function; none if there are no more.
fn stub_for(function: usize, note: Note) -> Option<usize> {
    for (number, stub) in USED.iter().enumerate() {
        match stub.function.load(Ordering::Acquire) {
            0 => {
                stub.note.store(note as usize, Ordering::Relaxed);
                stub.function.store(function, Ordering::Release);
            }
            known if known == function => {}
            _ => continue,
        }
        return Some(&raw const ft_stubs as usize + number * STUB_SIZE);
    }
    None
}

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

/// Tables of a module, by the tags of its dynamic section.
struct Tables {
    base: usize,
    dynamic: *const Dynamic,
    /// The start and end of what is read-only.
    read_only: (usize, usize),
}

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;

impl Tables {
    fn value(&self, tag: i64) -> Option<usize> {
        let mut entry = self.dynamic;
        // SAFETY: a dynamic section is mapped, and ends with an entry of tag zero.
        unsafe {
            while (*entry).tag != 0 {
                if (*entry).tag == tag {
                    return Some((*entry).value);
                }
                entry = entry.add(1);
            }
        }
        None
    }

    /// An address; the loader has added the base to most.
    fn address(&self, tag: i64) -> Option<usize> {
        self.value(tag).map(|value| if value < self.base { value + self.base } else { value })
    }

    fn relocations(&self, at: i64, size: i64) -> &[libc::Elf64_Rela] {
        match (self.address(at), self.value(size)) {
            // SAFETY: the loader has mapped the table, of that size.
            (Some(at), Some(size)) => unsafe {
                core::slice::from_raw_parts(at as *const libc::Elf64_Rela, size / size_of::<libc::Elf64_Rela>())
            },
            _ => &[],
        }
    }

    /// Writes a slot, which may be read-only.
    fn write(&self, slot: usize, value: usize) {
        const PAGE: usize = 4096;
        let (start, end) = self.read_only;
        let is_read_only = (start..end).contains(&slot);
        let protect = |protection| sys::protect(slot & !(PAGE - 1), PAGE, protection).is_ok();
        if is_read_only && !protect(libc::PROT_READ | libc::PROT_WRITE) {
            return;
        }
        // SAFETY: the slot is a word of a page that can be written.
        unsafe { AtomicUsize::from_ptr(slot as *mut usize) }.store(value, Ordering::Release);
        if is_read_only {
            protect(libc::PROT_READ);
        }
    }

    /// The name of what a relocation is about, if another module has it.
    fn import(&self, relocation: &libc::Elf64_Rela) -> Option<&CStr> {
        let (symbols, strings) = (self.address(DT_SYMTAB)?, self.address(DT_STRTAB)?);
        let number = (relocation.r_info >> 32) as usize;
        // SAFETY: the tables are mapped; the loader has used the same number.
        unsafe {
            let symbol = &*(symbols as *const libc::Elf64_Sym).add(number);
            (symbol.st_shndx == 0).then(|| CStr::from_ptr((strings as *const c_char).add(symbol.st_name as usize)))
        }
    }
}

/// Fills the slots of all instrumented modules.
pub fn watch_all() {
    elf::modules(|module| {
        let mut is_instrumented = false;
        module.code(|start, _| is_instrumented |= callers::is_instrumented(start));
        if is_instrumented {
            watch(module);
        }
    });
}

/// Fills the slots of an instrumented module.
pub fn watch(module: &Module<'_>) {
    let Some(dynamic) = module.dynamic_section().filter(|_| axes::is_on()) else { return };
    let _section = Section::nest();
    let read_only = module.read_only_after_loading();
    let tables = Tables { base: module.base(), dynamic: dynamic as *const Dynamic, read_only };
    for (at, size) in [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)] {
        tables.relocations(at, size).iter().for_each(|relocation| fill(&tables, relocation));
    }
}

/// Fills one slot, if it is for a function that can be noted.
fn fill(tables: &Tables, relocation: &libc::Elf64_Rela) {
    const GLOB_DAT: u64 = 6;
    const JUMP_SLOT: u64 = 7;
    if !matches!(relocation.r_info & 0xffff_ffff, GLOB_DAT | JUMP_SLOT) {
        return;
    }
    let Some(name) = tables.import(relocation) else { return };
    let Some(note) = cxx::note_for(name.to_bytes()) else { return };
    let function = Modules::now().and_then(|modules| modules.first_function(name));
    if let Some(function) = function
        && let Some(stub) = stub_for(function, note)
    {
        tables.write(tables.base.wrapping_add(relocation.r_offset as usize), stub);
    }
}
