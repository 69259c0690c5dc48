//! What the loader knows of the modules of the process.

use core::ffi::{CStr, c_int, c_void};
use core::slice::from_raw_parts;
use libc::{Elf64_Phdr, Elf64_Sym, PT_DYNAMIC, PT_LOAD, dl_phdr_info};

real_function!(fn dl_iterate_phdr(
    callback: unsafe extern "C" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int, data: *mut c_void,
) -> c_int);

/// Calls `visit` with each module of the process.
pub fn modules(mut visit: impl FnMut(&Module<'_>)) {
    type Visit<'a> = &'a mut dyn FnMut(&Module<'_>);
    unsafe extern "C" fn call(info: *mut dl_phdr_info, _size: usize, visit: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid description, and the pointer given to it below.
        unsafe { (*visit.cast::<Visit<'_>>())(&Module(&*info)) };
        0
    }
    let mut visit: Visit<'_> = &mut visit;
    // SAFETY: the callback fits, and the pointer is valid until the call returns.
    unsafe { dl_iterate_phdr(call, (&raw mut visit).cast()) };
}

/// A mapped file.
pub struct Module<'a>(&'a dl_phdr_info);

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

impl Module<'_> {
    fn headers(&self) -> &[Elf64_Phdr] {
        if self.0.dlpi_phdr.is_null() {
            return &[];
        }
        // SAFETY: the loader gives the address and the number of the module's program headers.
        unsafe { from_raw_parts(self.0.dlpi_phdr, self.0.dlpi_phnum as usize) }
    }

    /// What was added to its addresses.
    pub fn base(&self) -> usize {
        self.0.dlpi_addr as usize
    }

    /// How many modules have been loaded so far.
    pub fn loads(&self) -> u64 {
        self.0.dlpi_adds
    }

    /// Its path; empty for the program itself.
    pub fn name(&self) -> &[u8] {
        if self.0.dlpi_name.is_null() {
            return b"";
        }
        // SAFETY: a name ends with zero.
        unsafe { CStr::from_ptr(self.0.dlpi_name) }.to_bytes()
    }

    /// Is it the program itself, rather than a library?
    pub fn is_executable(&self) -> bool {
        self.name().is_empty()
    }

    /// Does it call the constructors of other modules: is it the loader, or libc, which calls those of the executable?
    pub fn runs_constructors(&self) -> bool {
        let name = self.base_name();
        name.starts_with(b"ld-") || name.starts_with(b"libc.so") || name.starts_with(b"libc-")
    }

    /// Its file's name without the directories.
    pub fn base_name(&self) -> &[u8] {
        let name = self.name();
        let start = name.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        &name[start..]
    }

    /// Calls `range` with the start and end of each part that holds instructions.
    pub fn code(&self, mut range: impl FnMut(usize, usize)) {
        for header in self.headers() {
            if header.p_type == PT_LOAD && header.p_flags & libc::PF_X != 0 {
                let start = self.base().wrapping_add(header.p_vaddr as usize);
                range(start, start.wrapping_add(header.p_memsz as usize));
            }
        }
    }

    /// Does it have an instruction there?
    pub fn has_code_at(&self, pc: usize) -> bool {
        let mut found = false;
        self.code(|start, end| found |= (start..end).contains(&pc));
        found
    }

    /// The address of its dynamic section.
    pub fn dynamic_section(&self) -> Option<usize> {
        let header = self.headers().iter().find(|header| header.p_type == PT_DYNAMIC)?;
        Some(self.base().wrapping_add(header.p_vaddr as usize))
    }

    /// The start and end of what the loader makes read-only once it has filled it in.
    pub fn read_only_after_loading(&self) -> (usize, usize) {
        let header = self.headers().iter().find(|header| header.p_type == libc::PT_GNU_RELRO);
        header.map_or((0, 0), |header| {
            let start = self.base().wrapping_add(header.p_vaddr as usize);
            (start, start.wrapping_add(header.p_memsz as usize))
        })
    }

    /// How much storage each thread has for its thread-local variables, at most.
    pub fn thread_local_bytes(&self) -> usize {
        let storage = self.headers().iter().find(|header| header.p_type == libc::PT_TLS);
        storage.map_or(0, |header| (header.p_memsz + header.p_align) as usize)
    }

    /// An address from the dynamic section; the loader has added the base to most.
    fn dynamic(&self, tag: i64) -> Option<usize> {
        let header = self.headers().iter().find(|header| header.p_type == PT_DYNAMIC)?;
        let mut entry = self.base().wrapping_add(header.p_vaddr as usize) as *const Dynamic;
        // SAFETY: the dynamic section is mapped and ends with an entry of tag zero.
        unsafe {
            while (*entry).tag != DT_NULL {
                if (*entry).tag == tag {
                    let value = (*entry).value as usize;
                    return Some(if value < self.base() { value + self.base() } else { value });
                }
                entry = entry.add(1);
            }
        }
        None
    }

    /// How many symbols there are, or at least how many before the first that is defined.
    fn symbol_count(&self) -> Option<usize> {
        // SAFETY: both tables begin with words; the loader maps them with the module.
        unsafe {
            match self.dynamic(DT_GNU_HASH) {
                Some(table) => Some((table as *const u32).add(1).read() as usize),
                None => self.dynamic(DT_HASH).map(|table| (table as *const u32).add(1).read() as usize),
            }
        }
    }

    /// Does it use a symbol of this name that another module defines?
    pub fn imports(&self, name: &[u8]) -> bool {
        let (Some(symbols), Some(strings), Some(count)) =
            (self.dynamic(DT_SYMTAB), self.dynamic(DT_STRTAB), self.symbol_count())
        else {
            return false;
        };
        // SAFETY: the tables are mapped with the module; names end with zero.
        unsafe {
            from_raw_parts(symbols as *const Elf64_Sym, count).iter().any(|symbol| {
                symbol.st_shndx == 0
                    && CStr::from_ptr((strings as *const core::ffi::c_char).add(symbol.st_name as usize)).to_bytes()
                        == name
            })
        }
    }
}
