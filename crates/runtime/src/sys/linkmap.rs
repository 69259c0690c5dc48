//! The loader's list of modules, read where it lies: the program's dynamic section leads to it, and the kernel tells every
//! process where that is. This works before the runtime has been relocated, when the loader asks a library which variant of
//! a function it wants and that library calls a function of ours.

use crate::sys;
use crate::sys::tables::{DT_DEBUG, Dynamic, Tables};
use core::arch::{asm, global_asm};
use core::ffi::{CStr, c_char, c_int};
use libc::{AT_PHDR, AT_PHNUM, Elf64_Phdr, PT_DYNAMIC, PT_PHDR};

/// A module in the loader's list.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
    next: *const LinkMap,
}

/// Where debuggers find the list (`r_debug`).
#[repr(C)]
struct Debug {
    version: c_int,
    first: *const LinkMap,
    breakpoint: usize,
    state: c_int,
    loader: usize,
    /// From version 2 on: the list of another namespace (`dlmopen`).
    next: *const Debug,
}

global_asm!(".weak _DYNAMIC", ".hidden _DYNAMIC");

/// The dynamic section of the module that this code is part of.
fn own_dynamic() -> *const Dynamic {
    let at: *const Dynamic;
    // SAFETY: the address of a symbol that the linker makes.
    unsafe { asm!("lea {at}, [rip + _DYNAMIC]", at = out(reg) at, options(nomem, nostack, pure)) };
    at
}

type GetAuxval = unsafe extern "C" fn(u64) -> u64;

/// libc's function, if the loader has filled in its address already.
fn getauxval() -> Option<GetAuxval> {
    let at: usize;
    // SAFETY: reads an entry of the table of addresses that the loader fills in.
    unsafe { asm!("mov {at}, qword ptr [rip + getauxval@GOTPCREL]", at = out(reg) at, options(readonly, nostack)) };
    // SAFETY: that is the function's type; zero means that it is not there yet.
    unsafe { core::mem::transmute::<usize, Option<GetAuxval>>(at) }
}

/// The address and number of the program's headers, from what the kernel has told the process.
fn program_headers() -> Option<&'static [Elf64_Phdr]> {
    let (at, count) = match getauxval() {
        // SAFETY: a plain look-up.
        Some(getauxval) => unsafe { (getauxval(AT_PHDR), getauxval(AT_PHNUM)) },
        None => headers_from_kernel()?,
    };
    // SAFETY: the kernel has mapped the program's headers there.
    (at != 0).then(|| unsafe { core::slice::from_raw_parts(at as *const Elf64_Phdr, count as usize) })
}

fn headers_from_kernel() -> Option<(u64, u64)> {
    let mut pairs = [[0u64; 2]; 64];
    let file = sys::open(b"/proc/self/auxv\0", libc::O_RDONLY, 0).ok()?;
    let words = sys::read_words(file, pairs.as_flattened_mut());
    sys::close(file);
    let value = |kind: u64| pairs[..words / 2].iter().find(|pair| pair[0] == kind).map(|pair| pair[1]);
    Some((value(AT_PHDR)?, value(AT_PHNUM)?))
}

/// Where the list of the program's own namespace is kept.
fn debug() -> Option<*const Debug> {
    let headers = program_headers()?;
    let header = |kind: u32| headers.iter().find(|header| header.p_type == kind);
    // Addresses in the headers are relative to where the program was loaded, which the headers' own address tells.
    let base = header(PT_PHDR).map_or(0, |own| (headers.as_ptr() as usize).wrapping_sub(own.p_vaddr as usize));
    let dynamic = base.wrapping_add(header(PT_DYNAMIC)?.p_vaddr as usize);
    // SAFETY: the program's dynamic section is mapped for as long as it runs.
    let debug = unsafe { Tables::new(base, dynamic as *const Dynamic) }.value(DT_DEBUG)?;
    (debug != 0).then_some(debug as *const Debug)
}

/// The list of the namespace that this code is part of.
fn first() -> Option<*const LinkMap> {
    let mut debug = debug()?;
    loop {
        // SAFETY: the loader has written the structure, of at least that version.
        let (list, next) = unsafe {
            let list = (*debug).first;
            (list, if (*debug).version >= 2 { (*debug).next } else { core::ptr::null() })
        };
        if each(list).any(|module| module.dynamic == own_dynamic()) {
            return Some(list);
        }
        if next.is_null() {
            return None;
        }
        debug = next;
    }
}

fn each(first: *const LinkMap) -> impl Iterator<Item = &'static LinkMap> {
    let mut at = first;
    core::iter::from_fn(move || {
        // SAFETY: entries are valid while no module is unloaded, which callers see to.
        let module = unsafe { at.as_ref() }?;
        at = module.next;
        Some(module)
    })
}

impl LinkMap {
    /// Are its symbols part of the loader's search? Those of the kernel's own module are not.
    fn is_searched(&self) -> bool {
        // SAFETY: a name ends with zero.
        let name = if self.name.is_null() { b"" } else { unsafe { CStr::from_ptr(self.name) }.to_bytes() };
        !self.dynamic.is_null() && !name.starts_with(b"linux-vdso") && !name.starts_with(b"linux-gate")
    }

    fn function(&self, name: &CStr, version: Option<&CStr>) -> Option<usize> {
        if !self.is_searched() {
            return None;
        }
        // SAFETY: the module stays mapped; see `each`.
        unsafe { Tables::new(self.base, self.dynamic) }.function(name, version)
    }
}

/// The modules of this namespace at a moment when none can be unloaded.
#[derive(Clone, Copy)]
pub struct Modules(*const LinkMap);

impl Modules {
    /// As the loader has them now.
    pub fn now() -> Option<Self> {
        first().map(Self)
    }

    /// The first definition behind this module in the loader's order; if there is none, the first before it.
    pub fn next_function(self, name: &CStr, version: Option<&CStr>) -> Option<usize> {
        let is_own = |module: &&LinkMap| module.dynamic == own_dynamic();
        let behind = each(self.0).skip_while(|module| !is_own(module)).skip(1);
        let before = each(self.0).take_while(|module| !is_own(module));
        behind.chain(before).find_map(|module| module.function(name, version))
    }

    /// The first definition in the loader's order.
    pub fn first_function(self, name: &CStr) -> Option<usize> {
        each(self.0).find_map(|module| module.function(name, None))
    }

    /// Does the first definition of this name in the loader's order belong to this module?
    pub fn is_own_first(self, name: &CStr) -> bool {
        let first = each(self.0).find(|module| module.function(name, None).is_some());
        first.is_none_or(|module| module.dynamic == own_dynamic())
    }
}

/// As [`Modules::next_function`], of the modules there are now.
pub fn next_function(name: &CStr, version: Option<&CStr>) -> Option<usize> {
    Modules::now()?.next_function(name, version)
}
