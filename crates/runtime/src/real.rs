//! The functions we stand in front of: the next definition in the loader's order, looked up once.

use crate::tls::tls;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    fn dladdr(address: *const c_void, info: *mut libc::Dl_info) -> c_int;
}

/// `RTLD_NEXT`.
const NEXT: *mut c_void = -1isize as *mut c_void;

/// Is this copy of the runtime the one that the program's calls reach? A script's programs have the library preloaded,
/// and may have been linked with the runtime besides; the copy that comes second in the loader's order stays out.
pub fn is_first_copy() -> bool {
    // SAFETY: the name ends with zero; a null handle asks for the loader's order.
    let reached = unsafe { dlsym(core::ptr::null_mut(), c"__tsan_init".as_ptr()) };
    reached.is_null() || module_of(reached) == module_of(is_first_copy as *const c_void)
}

/// Where the module that holds an address begins.
fn module_of(address: *const c_void) -> *mut c_void {
    let mut info = libc::Dl_info {
        dli_fname: core::ptr::null(),
        dli_fbase: core::ptr::null_mut(),
        dli_sname: core::ptr::null(),
        dli_saddr: core::ptr::null_mut(),
    };
    // SAFETY: `info` is ours to fill.
    unsafe { dladdr(address, &mut info) };
    info.dli_fbase
}

/// A function of type `F`, found at its first use.
pub struct Real<F> {
    name: &'static CStr,
    version: Option<&'static CStr>,
    found: AtomicPtr<c_void>,
    kind: PhantomData<F>,
}

// SAFETY: only the atomic pointer changes.
unsafe impl<F> Sync for Real<F> {}

impl<F: Copy> Real<F> {
    /// The function of that name; with a version, that version of it (condition variables have an old one too).
    pub const fn new(name: &'static CStr, version: Option<&'static CStr>) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        Self { name, version, found: AtomicPtr::new(core::ptr::null_mut()), kind: PhantomData }
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

    /// Is this thread looking for a function right now, and does not know this one yet? Allocation functions are called
    /// by the very look-up.
    #[inline]
    pub fn is_being_found(&self) -> bool {
        self.found.load(Ordering::Relaxed).is_null() && tls().looking_up.get()
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
        let nested = tls().looking_up.replace(true);
        // SAFETY: the strings end with zero.
        let found = unsafe {
            match self.version {
                Some(version) => dlvsym(NEXT, self.name.as_ptr(), version.as_ptr()),
                None => dlsym(NEXT, self.name.as_ptr()),
            }
        };
        tls().looking_up.set(nested);
        self.found.store(found, Ordering::Release);
        found
    }

    #[cold]
    fn missing(&self) -> ! {
        crate::sys::write(2, b"foretrace: this system's C library has no function ");
        crate::sys::write(2, self.name.to_bytes());
        crate::sys::write(2, b"\n");
        crate::sys::abort()
    }
}
