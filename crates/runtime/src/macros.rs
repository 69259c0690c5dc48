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
                $(let $pc = $crate::thread::tls::caller();)?
                $body
            }

            trampoline!($name $(as $export)?, replacement);
        };
    )*};
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
                let $pc = $crate::thread::tls::caller();
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
