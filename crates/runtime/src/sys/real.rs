//! The functions we stand in front of: the next definition in the loader's order.
//!
//! All are found when the runtime starts, or when the first of them is called, and by reading the loader's tables
//! ([`linkmap`]). `dlsym` is not called: it allocates and frees, so that to look for `free` with it could call `free`, and it
//! takes a lock that a forked child may find held. A function of a library that is loaded later is looked for again when
//! more has been loaded.

use crate::sys::elf;
use crate::sys::linkmap::{Modules, next_function};
use core::arch::global_asm;
use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Is this copy of the runtime the one that the program's calls reach? A script's programs have the library preloaded,
/// and may have been linked with the runtime besides; the copy that comes second in the loader's order stays out.
pub fn is_first_copy() -> bool {
    Modules::now().is_none_or(|modules| modules.is_own_first(c"__tsan_init"))
}

/// A function of type `F`. All of them stand side by side in a section of their own.
#[repr(C)]
pub struct Real<F> {
    name: &'static CStr,
    version: Option<&'static CStr>,
    found: AtomicPtr<c_void>,
    /// How many modules had been loaded when it was last not found.
    missed: AtomicU64,
    kind: PhantomData<F>,
}

// SAFETY: only the atomics change.
unsafe impl<F> Sync for Real<F> {}

impl<F: Copy> Real<F> {
    /// The function of that name; with a version, that version of it (condition variables have an old one too).
    pub const fn new(name: &'static CStr, version: Option<&'static CStr>) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let (found, missed) = (AtomicPtr::new(core::ptr::null_mut()), AtomicU64::new(0));
        Self { name, version, found, missed, kind: PhantomData }
    }

    /// The function, if this system has it.
    #[inline]
    pub fn find(&self) -> Option<F> {
        let mut found = self.found.load(Ordering::Acquire);
        if found.is_null() {
            found = self.look_up();
            if found.is_null() {
                return None;
            }
        }
        // SAFETY: `F` is the type of the function of that name; its size was checked.
        Some(unsafe { core::mem::transmute_copy(&found) })
    }

    /// The function. A program that calls what its libc does not have has been linked against another; it cannot go on.
    #[inline]
    pub fn get(&self) -> F {
        match self.find() {
            Some(found) => found,
            None => self.missing(),
        }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        find_all();
        if self.found.load(Ordering::Acquire).is_null() {
            self.look_in_later_modules();
        }
        self.found.load(Ordering::Acquire)
    }

    /// Looks through all modules if there are more than last time.
    fn look_in_later_modules(&self) {
        elf::modules_since(&self.missed, |module| {
            let tables = module.tables()?;
            let found = tables.function(self.name, self.version)?;
            (!module.has_code_at(find_all as *const () as usize)).then(|| self.keep(found))
        });
    }

    fn keep(&self, found: usize) {
        self.found.store(found as *mut c_void, Ordering::Release);
    }

    #[cold]
    fn missing(&self) -> ! {
        crate::sys::write(2, b"foretrace: this system's C library has no function ");
        crate::sys::write(2, self.name.to_bytes());
        crate::sys::write(2, b"\n");
        crate::sys::abort()
    }
}

// The linker makes these symbols for the section of all functions.
global_asm!(".hidden __start_ft_reals", ".hidden __stop_ft_reals");
unsafe extern "C" {
    #[link_name = "__start_ft_reals"]
    static FIRST: [usize; 0];
    #[link_name = "__stop_ft_reals"]
    static END: [usize; 0];
}

/// All functions have been looked for.
static ALL_FOUND: AtomicBool = AtomicBool::new(false);

/// Finds all functions, the first time.
pub fn find_all() {
    if ALL_FOUND.load(Ordering::Acquire) {
        return;
    }
    let Some(modules) = Modules::now() else { return };
    // Two threads that do this at the same time write the same addresses.
    for real in all() {
        if let Some(found) = modules.next_function(real.name, real.version) {
            real.keep(found);
        }
    }
    // SAFETY: null, or the function of that name.
    unsafe { elf::list_by(LIST_MODULES.found.load(Ordering::Acquire)) };
    ALL_FOUND.store(true, Ordering::Release);
}

/// What the loader lists its modules by.
#[unsafe(link_section = "ft_reals")]
static LIST_MODULES: Real<unsafe extern "C" fn()> = Real::new(c"dl_iterate_phdr", None);

fn all() -> &'static [Real<fn()>] {
    let [first, end] = [&raw const FIRST, &raw const END].map(|at| at.cast::<Real<fn()>>());
    // SAFETY: the section holds nothing else, and all types have one layout.
    unsafe { core::slice::from_raw_parts(first, end.offset_from_unsigned(first)) }
}

/// Called before the runtime has been relocated, while the loader asks which variant of a function a library wants: the
/// program's call goes on to the real function, and if there is none it returns zero. The name is in `r11`. Nothing here
/// reads an address that the loader has yet to fill in.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn ft_call_before_relocation() {
    call_found!(find_before_relocation)
}

/// Calls the first function of the name in `r11` in the loader's order, and notes its address where `r10` points.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn ft_call_by_name() {
    call_found!(find_by_name)
}

unsafe extern "C" fn find_before_relocation(name: *const c_char) -> usize {
    // SAFETY: the trampolines pass a string.
    next_function(unsafe { CStr::from_ptr(name) }, None).unwrap_or(0)
}

unsafe extern "C" fn find_by_name(name: *const c_char, place: &AtomicUsize) -> usize {
    // SAFETY: the caller passes a string.
    let found = Modules::now().and_then(|modules| modules.first_function(unsafe { CStr::from_ptr(name) }));
    place.store(found.unwrap_or(0), Ordering::Relaxed);
    found.unwrap_or(0)
}

// Holds its own address once the runtime has been relocated; the trampolines compare.
global_asm!(
    ".section .data.rel.ft_relocated,\"aw\",@progbits",
    ".balign 8",
    ".hidden ft_relocated",
    ".globl ft_relocated",
    ".type ft_relocated, @object",
    ".size ft_relocated, 8",
    "ft_relocated:",
    ".quad ft_relocated",
    ".text",
);
