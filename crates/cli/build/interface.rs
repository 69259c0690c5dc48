//! Names of ThreadSanitizer's that need no code of their own, made of lists in `crates/runtime/names`:
//!
//! | list | what a program finds |
//! | --- | --- |
//! | `nothing.list` | hooks of coverage and fuzzing: they do nothing and return zero |
//! | `system-calls.list` | `__sanitizer_syscall_pre_impl_…` and `…_post_impl_…`, likewise |
//! | `interceptors.list` | `__interceptor_<name>`: the function of that name, ours if we stand in front of it |
//! | `libtsan.list` | functions that programs find in gcc's `libtsan.so` alone, in the library that stands in for it |

use super::symbols::NO_STACK;
use std::fs;
use std::path::Path;

fn list(names: &Path, file: &str) -> Vec<String> {
    let path = names.join(file).with_extension("list");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::to_owned).collect()
}

/// A name that gives way to the program's own.
fn label(name: &str) -> String {
    format!(".weak {name}\n.type {name}, @function\n{name}:\n")
}

fn nothing(names: &Path) -> Vec<String> {
    let calls = list(names, "system-calls");
    let hook = |when: &str, call: &String| format!("__sanitizer_syscall_{when}_impl_{call}");
    let hooks = calls.iter().flat_map(|call| ["pre", "post"].map(|when| hook(when, call)));
    list(names, "nothing").into_iter().chain(hooks).collect()
}

/// Every exported name of these.
pub fn exported(names: &Path) -> Vec<String> {
    let interceptors = list(names, "interceptors");
    let both = |name: &String| ["__interceptor_", "___interceptor_"].map(|prefix| format!("{prefix}{name}"));
    nothing(names).into_iter().chain(interceptors.iter().flat_map(both)).collect()
}

/// Code that calls a function by its name, found at its first call: see `ft_call_by_name`.
fn forward(name: &str) -> String {
    format!(
        "mov 3f(%rip), %r11\ntest %r11, %r11\nje 2f\njmp *%r11\n2: lea 4f(%rip), %r11\nlea 3f(%rip), %r10\n\
         jmp ft_call_by_name\n.section .bss\n.balign 8\n3: .zero 8\n.section .rodata\n4: .asciz \"{name}\"\n.text\n"
    )
}

/// All but those of `libtsan.list`, as assembly.
pub fn assembly(names: &Path) -> String {
    let nothing: String = nothing(names).iter().map(|name| label(name)).collect();
    let interceptor = |name: String| {
        let labels = ["__interceptor_", "___interceptor_"].map(|prefix| label(&format!("{prefix}{name}")));
        labels.concat() + &forward(&name)
    };
    let interceptors: String = list(names, "interceptors").into_iter().map(interceptor).collect();
    format!(".text\n{nothing}xor %eax, %eax\nret\n{interceptors}{NO_STACK}")
}

/// What the library that stands in for `libtsan.so` has besides: each line is a name and what it stands for.
pub fn libtsan(names: &Path) -> (Vec<String>, String) {
    let lines = list(names, "libtsan");
    let pairs = lines.iter().map(|line| line.split_once(' ').expect("a line of libtsan.list is two names"));
    let code: String = pairs.clone().map(|(name, target)| label(name) + &alias(target)).collect();
    (pairs.map(|(name, _)| name.to_owned()).collect(), format!(".text\n{code}{NO_STACK}"))
}

fn alias(target: &str) -> String {
    match target {
        // The function of that name in every program's own code, for a module that is never unloaded.
        "atexit" => "xor %esi, %esi\nxor %edx, %edx\njmp __cxa_atexit@PLT\n".to_owned(),
        _ => format!("jmp __interceptor_{target}@PLT\n"),
    }
}
