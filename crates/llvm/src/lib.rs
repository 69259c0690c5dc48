//! Fewer calls for the same accesses: rewrites the IR that clang made with `-fsanitize=thread`.
//!
//! [`rewrite`] takes a module as text and gives it back with
//!
//! - *neighbours merged*: accesses of one block that lie side by side and stand on one source line (a vectorised or
//!   unrolled body) are told by one call;
//! - *counted loops told once*: an access that each round of a loop makes, at an address that does not change or changes
//!   by the same step, is told before the loop, by one call with the first address, the step and the number of rounds.
//!
//! The recorder merges the accesses of a segment anyway, so a recording says the same as before. Both are done only
//! where nothing that could end a segment stands between: a call of anything but hooks and intrinsics, a fence, an atomic
//! operation. The accesses keep their source lines.
//!
//! # Why text
//!
//! The textual form needs no LLVM to build against and none to run but the compiler that is there anyway. What this crate
//! does not understand it leaves as it is, so another version of LLVM costs speed, not correctness; what does not
//! assemble afterwards is compiled as if this crate did not exist (see `foretrace cc`).
//!
//! # Definitions
//!
//! A *hook* is a call that tells an access. A *counted* loop has one way out, at the end of a round, by a comparison of a
//! *counter* that takes equal steps with a bound that does not change. A *slice* is the arithmetic that leads to an
//! address.
//!
//! # What it misses
//!
//! Loops with more than one way out, with calls, or whose addresses are loaded in each round; two counters in one address
//! (an inner loop is told once for each round of the outer one, unless the outer one's counter is not in the address).
//!
//! # Example
//!
//! ```
//! let module = "define void @f(ptr %0) {
//!   br label %2
//!
//! 2:                                                ; preds = %2, %1
//!   %3 = phi i64 [ 0, %1 ], [ %5, %2 ]
//!   %4 = getelementptr double, ptr %0, i64 %3
//!   call void @__tsan_write8(ptr %4)
//!   store double 0.0, ptr %4, align 8
//!   %5 = add nuw nsw i64 %3, 1
//!   %6 = icmp eq i64 %5, 100
//!   br i1 %6, label %7, label %2
//!
//! 7:                                                ; preds = %2
//!   ret void
//! }
//! ";
//! let rewritten = foretrace_llvm::rewrite(module).unwrap();
//! assert!(!rewritten.contains("__tsan_write8"));
//! assert!(rewritten.contains("call void @__foretrace_loop"));
//! ```

#![forbid(unsafe_code)]

mod count;
mod function;
mod graph;
mod hoist;
mod hook;
mod instruction;
mod merge;
mod slice;

use function::Function;

/// Rewrites a module; `None` if there is nothing to gain.
pub fn rewrite(module: &str) -> Option<String> {
    let mut out = String::with_capacity(module.len() + module.len() / 8);
    let mut lines = module.lines();
    let mut changed = false;
    while let Some(line) = lines.next() {
        push_line(&mut out, line);
        if !(line.starts_with("define ") && line.ends_with('{')) {
            continue;
        }
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        match rewrite_body(&body) {
            Some(function) => {
                changed = true;
                function.lines().for_each(|line| push_line(&mut out, line));
            }
            None => body.iter().for_each(|line| push_line(&mut out, line)),
        }
        push_line(&mut out, "}");
    }
    if !changed {
        return None;
    }
    hook::declare_missing(&mut out);
    Some(out)
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn rewrite_body(body: &[&str]) -> Option<Function> {
    if !body.iter().any(|line| line.contains("@__tsan_")) {
        return None;
    }
    let mut function = Function::parse(body)?;
    let defined = function.definitions();
    let mut changed = false;
    for block in 0..function.blocks.len() {
        changed |= merge::merge(&mut function, &defined, block);
    }
    changed |= hoist::hoist(&mut function);
    changed.then_some(function)
}
