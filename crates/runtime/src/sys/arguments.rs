//! Code that stands in the way of a call: it keeps all arguments, calls something of ours, and goes on with them.

/// The code of a function that keeps the registers which carry arguments, runs `$before`, calls `{called}`, and then, with
/// the arguments as they were and the answer in `r11`, runs `$after`. While `{called}` runs, the six registers of whole
/// numbers lie at the stack pointer that `$before` sees.
macro_rules! keep_arguments {
    ([$($before:literal),* $(,)?], [$($after:literal),* $(,)?], $($operands:tt)*) => {
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
            $($before,)*
            "call {called}",
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
            $($after,)*
            $($operands)*
        )
    };
}

/// The code of a function that asks `$find` for a function, by what is in `r11` and `r10`, and goes on there with the
/// arguments it was called with. If there is none, it returns zero.
macro_rules! call_found {
    ($find:path) => {
        keep_arguments!(
            ["mov rdi, r11", "mov rsi, r10"],
            ["test r11, r11", "je 2f", "jmp r11", "2:", "xor eax, eax", "ret"],
            called = sym $find,
        )
    };
}
