//! Calls: what is called, with which arguments, and what that means for the values.

use super::typed::{Typed, typed};
use crate::text::{close, kind, name, split};

/// A call or invoke.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The type of the result.
    pub result: &'a str,
    /// What is called: `@name` or `%pointer`.
    pub callee: &'a str,
    /// Its arguments; none for one that is not understood, such as metadata.
    pub arguments: Vec<Option<Typed<'a>>>,
    /// The blocks of an invoke: where it goes on, and where exceptions go.
    pub goes_on: Option<&'a str>,
    /// Nothing may stand between it and the return.
    pub is_last: bool,
}

/// What a call means for the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning<'a> {
    /// Nothing: hooks, debug information, and functions that only print or wait.
    Nothing,
    /// An operation on an atomic variable of so many bits.
    Atomic(u32, &'a str),
    /// Copies memory.
    Copy,
    /// Fills memory.
    Fill,
    /// Arguments are not followed into it.
    Opaque,
    /// A function that may be instrumented.
    Function,
}

/// Functions whose arguments change nothing that is followed: they print, wait or end.
const SILENT: [&str; 26] = [
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "perror",
    "write",
    "fflush",
    "usleep",
    "sleep",
    "nanosleep",
    "sched_yield",
    "__assert_fail",
    "exit",
    "_exit",
    "abort",
    "free",
    "fwrite",
    "snprintf",
    "sprintf",
    "clock_gettime",
    "gettimeofday",
    "time",
    "rand",
];

/// Beginnings of the names of functions of libraries.
const OPAQUE: [&str; 9] = ["llvm.", "pthread_", "sem_", "malloc", "calloc", "realloc", "_Znw", "_Zna", "__cxa_"];

impl<'a> Call<'a> {
    /// Reads what follows the result of a line.
    pub fn parse(code: &'a str) -> Option<Self> {
        let is_last = code.starts_with("musttail ");
        let code = ["tail ", "musttail ", "notail "].iter().find_map(|word| code.strip_prefix(word)).unwrap_or(code);
        let rest = code.strip_prefix("call ").or_else(|| code.strip_prefix("invoke "))?;
        let at = callee_start(rest)?;
        let end = at
            + 1
            + rest[at + 1..].find('(').filter(|_| !rest[at + 1..].starts_with('"')).or_else(|| {
                let (quoted, _) = name(&rest[at + 1..])?;
                Some(quoted.len() + 2)
            })?;
        let (arguments, tail) = close(rest[end..].strip_prefix('(')?)?;
        let parts = split(arguments)?.into_iter().filter(|part| !part.is_empty());
        let goes_on = tail.split_once("to label %").map(|(_, rest)| rest.split_whitespace().next().unwrap_or(""));
        let result = result_of(rest[..at].trim_end())?;
        let arguments = parts.map(typed).collect();
        Some(Self { result, callee: &rest[at..end], arguments, goes_on, is_last })
    }

    /// The name of the function, if it is known.
    pub fn name(&self) -> Option<&'a str> {
        self.callee.strip_prefix('@').map(|name| name.trim_matches('"'))
    }

    /// What it means.
    pub fn meaning(&self) -> Meaning<'a> {
        let Some(name) = self.name() else { return Meaning::Function };
        if let Some(atomic) = name.strip_prefix("__tsan_atomic") {
            let digits = atomic.find('_').unwrap_or(atomic.len());
            return match atomic[..digits].parse() {
                Ok(bits) if bits <= 64 => Meaning::Atomic(bits, &atomic[digits + 1..]),
                _ => Meaning::Nothing,
            };
        }
        let is = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        match name {
            _ if is(&["llvm.memcpy", "llvm.memmove", "__tsan_memcpy", "__tsan_memmove", "memcpy", "memmove"]) => {
                Meaning::Copy
            }
            _ if is(&["llvm.memset", "__tsan_memset", "memset"]) => Meaning::Fill,
            _ if is(&["llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.stack", "llvm.trap", "llvm.ubsantrap"]) => {
                Meaning::Nothing
            }
            _ if is(&["__tsan_", "__foretrace_", "_ZNSols", "_ZStls", "_ZNSo"]) || SILENT.contains(&name) => {
                Meaning::Nothing
            }
            _ if is(&OPAQUE) => Meaning::Opaque,
            _ => Meaning::Function,
        }
    }
}

/// Where the callee begins: the first `@`, or `%` before a bracket, outside brackets.
fn callee_start(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            '@' if depth == 0 => return Some(at),
            '%' if depth == 0 => {
                // A named type as the result begins with the same sign.
                let end = text[at..].find(['(', ' '])?;
                if text[at + end..].starts_with('(') {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The type of the result: after calling convention and attributes, before the list of parameter types.
fn result_of(head: &str) -> Option<&str> {
    let mut rest = head.trim_start();
    loop {
        let (word, after) = kind(rest)?;
        let is_kind = word == "void" || word == "ptr" || word == "float" || word == "double" || word == "x86_fp80";
        let is_number = word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
        if is_kind || is_number || word.starts_with(['%', '{', '[', '<']) {
            return Some(word);
        }
        rest = after.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(code: &str) -> (&str, &str, usize, Meaning<'_>) {
        let call = Call::parse(code).unwrap_or_else(|| panic!("{code}"));
        (call.result, call.callee, call.arguments.len(), call.meaning())
    }

    #[test]
    fn calls_of_all_forms() {
        assert_eq!(parts("call i32 @get(ptr noundef @balance), !dbg !61"), ("i32", "@get", 1, Meaning::Function));
        assert_eq!(parts("tail call void %3(i32 noundef 1, ptr %4) #5"), ("void", "%3", 2, Meaning::Function));
        assert_eq!(
            parts("call i32 (ptr, ...) @printf(ptr noundef @s, i32 %4)"),
            ("i32", "@printf", 2, Meaning::Nothing)
        );
        let atomic = parts("call i32 @__tsan_atomic32_fetch_add(ptr @x, i32 1, i32 5)");
        assert_eq!(atomic, ("i32", "@__tsan_atomic32_fetch_add", 3, Meaning::Atomic(32, "fetch_add")));
        let invoke =
            Call::parse("invoke noundef i32 @\"f g\"(i32 %1)\n          to label %3 unwind label %7, !dbg !5").unwrap();
        assert_eq!(
            (invoke.callee, invoke.result, invoke.goes_on),
            ("@\"f g\"", "i32", Some("%3").map(|name| &name[1..]))
        );
        assert_eq!(parts("call zeroext i1 @is(ptr %0)").0, "i1");
    }
}
