//! How one coroutine hands over to another, in assembly: registers that a call preserves, the stack, and the thread pointer.

use core::arch::{global_asm, naked_asm};

/// Saves the current coroutine, whose stack pointer goes to `from`, and goes on with another, by its stack pointer and its
/// thread pointer.
///
/// # Safety
/// The other has been saved by this function or by [`park`], and has not gone on since.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(from: *mut usize, to: usize, thread_pointer: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "wrfsbase rdx",
        "mov rsp, rsi",
        "fldcw [rsp + 4]",
        "ldmxcsr [rsp]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Saves the calling thread as a coroutine at `context`, counts it in `parked`, and sleeps in the kernel for ever. Whoever
/// switches to the coroutine returns from this function. The thread that sleeps uses no stack, so the two do not meet.
///
/// # Safety
/// `never` is a word that stays zero, and all signals are blocked.
#[unsafe(naked)]
pub unsafe extern "C" fn park(context: *mut usize, parked: *mut u32, never: *const u32) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "lock inc dword ptr [rsi]",
        "mov rdi, rdx",
        "mov esi, {wait}",
        "xor edx, edx",
        "xor r10d, r10d",
        "2:",
        "mov eax, {futex}",
        "syscall",
        "jmp 2b",
        wait = const libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
        futex = const libc::SYS_futex,
    )
}

/// A stack for a coroutine that begins with a function.
///
/// # Safety
/// There are 64 bytes below `top`, which is a multiple of 16.
pub unsafe fn prepare(top: usize, begin: extern "C" fn() -> !) -> usize {
    /// The usual control words: all exceptions masked.
    const CONTROL: u64 = 0x1f80 | 0x037f << 32;
    let at = top - 72;
    // SAFETY: as the caller says. After the registers are popped, the function finds the stack as after a call.
    unsafe {
        (at as *mut [u64; 8]).write([CONTROL, 0, 0, 0, 0, 0, 0, begin as usize as u64]);
    }
    at
}

global_asm!(
    ".hidden ft_fast_call",
    ".globl ft_fast_call",
    "ft_fast_call:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    ".hidden ft_fast_called",
    ".globl ft_fast_called",
    "ft_fast_called:",
    "ret",
);

unsafe extern "C" {
    /// A system call that the filter lets through, because of where it comes from.
    fn ft_fast_call(number: i64, arguments: *const u64) -> i64;
    /// The address behind its instruction.
    static ft_fast_called: u8;
}

/// Where a system call comes from that the filter lets through.
pub fn call_site() -> usize {
    &raw const ft_fast_called as usize
}

/// Makes a system call that the filter lets through; a negative number is an error.
///
/// # Safety
/// As for the call.
pub unsafe fn call(number: i64, arguments: [u64; 6]) -> i64 {
    // SAFETY: as the caller says.
    unsafe { ft_fast_call(number, arguments.as_ptr()) }
}
