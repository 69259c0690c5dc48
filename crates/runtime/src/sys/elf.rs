//! What the loader knows of the modules of the process.

use crate::sys::tables::{Dynamic, Tables};
use core::ffi::{CStr, c_int, c_void};
use core::slice::from_raw_parts;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use libc::{Elf64_Phdr, PT_DYNAMIC, PT_LOAD, dl_phdr_info};

type Callback = unsafe extern "C" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int;
type Iterate = unsafe extern "C" fn(Callback, *mut c_void) -> c_int;

unsafe extern "C" {
    fn dl_iterate_phdr(callback: Callback, data: *mut c_void) -> c_int;
}

/// The loader's own function, once it is known: a program may have one of that name.
static ITERATE: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Modules are listed by this function from now on; null: by the one that our own calls reach.
///
/// # Safety
/// It is `dl_iterate_phdr`, or null.
pub unsafe fn list_by(function: *mut c_void) {
    ITERATE.store(function, Ordering::Release);
}

/// Calls `visit` with each module of the process.
pub fn modules(mut visit: impl FnMut(&Module<'_>)) {
    iterate(|module| {
        visit(module);
        false
    });
}

/// If modules have been loaded since `seen` was written, calls `visit` with each module of the process until it answers.
pub fn modules_since(seen: &AtomicU64, mut visit: impl FnMut(&Module<'_>) -> Option<()>) {
    let before = seen.load(Ordering::Relaxed);
    iterate(|module| {
        seen.store(module.loads(), Ordering::Relaxed);
        module.loads() == before || visit(module).is_some()
    });
}

/// Calls `visit` with each module until it says that it is done.
fn iterate(mut visit: impl FnMut(&Module<'_>) -> bool) {
    type Visit<'a> = &'a mut dyn FnMut(&Module<'_>) -> bool;
    unsafe extern "C" fn call(info: *mut dl_phdr_info, _size: usize, visit: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid description, and the pointer given to it below.
        c_int::from(unsafe { (*visit.cast::<Visit<'_>>())(&Module(&*info)) })
    }
    let mut visit: Visit<'_> = &mut visit;
    let known = ITERATE.load(Ordering::Acquire);
    let iterate: Iterate = match known.is_null() {
        true => dl_iterate_phdr,
        // SAFETY: what was stored is that function.
        false => unsafe { core::mem::transmute::<*mut c_void, Iterate>(known) },
    };
    // SAFETY: the callback fits, and the pointer is valid until the call returns.
    unsafe { iterate(call, (&raw mut visit).cast()) };
}

/// A mapped file.
pub struct Module<'a>(&'a dl_phdr_info);

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

    /// Its symbol tables.
    pub fn tables(&self) -> Option<Tables> {
        let header = self.headers().iter().find(|header| header.p_type == PT_DYNAMIC)?;
        let dynamic = self.base().wrapping_add(header.p_vaddr as usize) as *const Dynamic;
        // SAFETY: the loader keeps modules mapped while it shows them.
        Some(unsafe { Tables::new(self.base(), dynamic) })
    }

    /// Does it use a symbol of this name that another module defines?
    pub fn imports(&self, name: &CStr) -> bool {
        self.tables().is_some_and(|tables| tables.imports(name))
    }
}
