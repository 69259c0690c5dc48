//! How functions of others are called, and how modules say what a forked child starts anew.

/// The version of an interposed function.
macro_rules! version {
    () => {
        None
    };
    ($version:literal) => {
        match core::ffi::CStr::from_bytes_with_nul(concat!($version, "\0").as_bytes()) {
            Ok(version) => Some(version),
            Err(_) => panic!("a version has no zero byte"),
        }
    };
}

/// A function of libc that we call but do not stand in front of, or stand in front of elsewhere.
macro_rules! real_function {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?) => {
        $(#[$meta])*
        #[inline]
        $vis unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
            type Function = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            #[unsafe(link_section = "ft_reals")]
            static REAL: $crate::sys::real::Real<Function> = $crate::sys::real::Real::new(
                match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zero byte"),
                },
                None,
            );
            // SAFETY: the caller passes what the function wants.
            unsafe { (REAL.get())($($arg),*) }
        }
    };
}

/// The beginning of every function that programs reach: before the runtime has been relocated, the call goes on to the
/// real function of that name. See `real`.
macro_rules! go_on_if_relocated {
    ($name:ident) => {
        concat!(
            "lea r11, [rip + ft_relocated]\n",
            "cmp r11, qword ptr [rip + ft_relocated]\n",
            "je 4f\n",
            ".pushsection .rodata.ft_names,\"a\",@progbits\n",
            "3: .asciz \"",
            stringify!($name),
            "\"\n",
            ".popsection\n",
            "lea r11, [rip + 3b]\n",
            "jmp {early}\n",
            "4:"
        )
    };
}

/// Names a function of no arguments that is called in a forked child.
macro_rules! at_fork {
    ($reset:path) => {
        const _: () = {
            #[used]
            #[unsafe(link_section = "ft_resets")]
            static RESET: fn() = $reset;
        };
    };
}
