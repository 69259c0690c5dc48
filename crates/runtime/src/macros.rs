//! How functions of ours are exported.

/// The function that a name resolves to: notes the return address in thread-local storage and goes on to `$to`.
/// It changes no register that carries an argument. `as` gives another name: see `internal`.
macro_rules! trampoline {
    ($name:ident as $export:ident, $to:path) => {
        trampoline!(@ $name, $export, $to);
    };
    ($name:ident, $to:path) => {
        trampoline!(@ $name, $name, $to);
    };
    (@ $name:ident, $export:ident, $to:path) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $export() {
            core::arch::naked_asm!(
                go_on_if_relocated!($name),
                "mov r10, qword ptr [rip + ft_tls@gottpoff]",
                "mov r11, qword ptr [rsp]",
                "mov qword ptr fs:[r10 + {caller}], r11",
                "mov qword ptr fs:[r10 + {frame}], rbp",
                "jmp {to}",
                caller = const $crate::thread::tls::CALLER,
                frame = const $crate::thread::tls::FRAME,
                to = sym $to,
                early = sym $crate::sys::real::ft_call_before_relocation,
            )
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

/// Stands in front of a function of libc. In the body, `real(…)` is the function itself. A version in brackets asks for
/// that version of it; a name between bars is bound to the place of the call. `as` exports it under another name, which
/// the build renames: see `internal`.
macro_rules! interpose {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
            $([$version:literal])? $(as $export:ident)? $(|$pc:ident|)? $body:block
    )*) => {$(
        $(#[$meta])*
        const _: () = {
            type Function = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            #[allow(dead_code, reason = "some replacements never call the real function")]
            #[unsafe(link_section = "ft_reals")]
            static REAL: $crate::sys::real::Real<Function> = $crate::sys::real::Real::new(
                match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zero byte"),
                },
                version!($($version)?),
            );

            #[allow(dead_code, reason = "some replacements never call the real function")]
            #[inline(always)]
            unsafe fn real($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the arguments are the program's own.
                unsafe { (REAL.get())($($arg),*) }
            }

            unsafe extern "C-unwind" fn replacement($($arg: $ty),*) $(-> $ret)? {
                $(let $pc = $crate::run::caller();)?
                $body
            }

            trampoline!($name $(as $export)?, replacement);
        };
    )*};
}

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

/// A function of ours that programs or compilers call. A name between bars is bound to the place of the call.
macro_rules! exported {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $(|$pc:ident|)? $body:block
    )*) => {$(
        exported!(@ $(#[$meta])* $name ($($arg: $ty),*) ($($ret)?) ($($pc)?) $body);
    )*};
    (@ $(#[$meta:meta])* $name:ident ($($arg:ident: $ty:ty),*) ($($ret:ty)?) () $body:block) => {
        $(#[$meta])*
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
    };
    (@ $(#[$meta:meta])* $name:ident ($($arg:ident: $ty:ty),*) ($($ret:ty)?) ($pc:ident) $body:block) => {
        $(#[$meta])*
        const _: () = {
            unsafe extern "C" fn function($($arg: $ty),*) $(-> $ret)? {
                let $pc = $crate::run::caller();
                $body
            }
            trampoline!($name, function);
        };
    };
}

/// A function with a variable number of arguments: packs those after the first few into a `va_list`, as the ABI lays it
/// out, and calls `$to` with the fixed ones and a pointer to the list. `$fixed` is how many there are; `$next` is the
/// register of the argument after them.
macro_rules! variadic {
    ($name:ident, $fixed:literal, $next:literal, $to:path) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                go_on_if_relocated!($name),
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "sub rsp, 208",
                "mov [rsp], rdi",
                "mov [rsp + 8], rsi",
                "mov [rsp + 16], rdx",
                "mov [rsp + 24], rcx",
                "mov [rsp + 32], r8",
                "mov [rsp + 40], r9",
                "test al, al",
                "je 2f",
                "movaps [rsp + 48], xmm0",
                "movaps [rsp + 64], xmm1",
                "movaps [rsp + 80], xmm2",
                "movaps [rsp + 96], xmm3",
                "movaps [rsp + 112], xmm4",
                "movaps [rsp + 128], xmm5",
                "movaps [rsp + 144], xmm6",
                "movaps [rsp + 160], xmm7",
                "2:",
                "mov r10, qword ptr [rip + ft_tls@gottpoff]",
                "mov r11, qword ptr [rbp + 8]",
                "mov qword ptr fs:[r10 + {caller}], r11",
                "mov dword ptr [rsp + 176], {fixed} * 8",
                "mov dword ptr [rsp + 180], 48",
                "lea rax, [rbp + 16]",
                "mov [rsp + 184], rax",
                "mov [rsp + 192], rsp",
                concat!("lea ", $next, ", [rsp + 176]"),
                "call {to}",
                "leave",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                caller = const $crate::thread::tls::CALLER,
                fixed = const $fixed,
                to = sym $to,
                early = sym $crate::sys::real::ft_call_before_relocation,
            )
        }
    };
}

/// The code of a function that asks `$find` for a function, by what is in `r11` and `r10`, and goes on there with the
/// arguments it was called with. If there is none, it returns zero.
macro_rules! call_found {
    ($find:path) => {
        core::arch::naked_asm!(
            "push rbp",
            "mov rbp, rsp",
            "sub rsp, 192",
            "mov [rsp], rdi",
            "mov [rsp + 8], rsi",
            "mov [rsp + 16], rdx",
            "mov [rsp + 24], rcx",
            "mov [rsp + 32], r8",
            "mov [rsp + 40], r9",
            "mov [rsp + 48], rax",
            "movups [rsp + 64], xmm0",
            "movups [rsp + 80], xmm1",
            "movups [rsp + 96], xmm2",
            "movups [rsp + 112], xmm3",
            "movups [rsp + 128], xmm4",
            "movups [rsp + 144], xmm5",
            "movups [rsp + 160], xmm6",
            "movups [rsp + 176], xmm7",
            "mov rdi, r11",
            "mov rsi, r10",
            "call {find}",
            "mov r11, rax",
            "mov rdi, [rsp]",
            "mov rsi, [rsp + 8]",
            "mov rdx, [rsp + 16]",
            "mov rcx, [rsp + 24]",
            "mov r8, [rsp + 32]",
            "mov r9, [rsp + 40]",
            "mov rax, [rsp + 48]",
            "movups xmm0, [rsp + 64]",
            "movups xmm1, [rsp + 80]",
            "movups xmm2, [rsp + 96]",
            "movups xmm3, [rsp + 112]",
            "movups xmm4, [rsp + 128]",
            "movups xmm5, [rsp + 144]",
            "movups xmm6, [rsp + 160]",
            "movups xmm7, [rsp + 176]",
            "leave",
            "test r11, r11",
            "je 2f",
            "jmp r11",
            "2:",
            "xor eax, eax",
            "ret",
            find = sym $find,
        )
    };
}
