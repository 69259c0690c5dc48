//! Passes over the IR that clang made with `-fsanitize=thread`: module in, module out.
//!
//! [`run`] takes a module as text and the [`Pass`]es to run over it. A [`Module`] gives a pass the functions with their
//! [`Signature`]s, the [`Global`]s, and the places in the source ([`Debug`]), and lets it rewrite the blocks of a
//! function. A pass declares what a build loses without it ([`Purpose`]): speed, so that the build may fall back to the
//! compiler alone, or meaning, so that the build must fail. The passes of every optimised build ([`FASTER`]) need fewer
//! calls for the same accesses:
//!
//! - [`MergeNeighbours`]: adjacent accesses of one block that are on one source line (a vectorised or unrolled body)
//!   become one call.
//! - [`HoistCountedLoops`]: an access that each round of a loop makes, at an address that does not change or changes by
//!   the same step, becomes one call before the loop, with the first address, the step and the trip count.
//!
//! The recorder merges the accesses of a segment anyway, so a recording has the same contents as before. Both passes
//! apply only where nothing that could end a segment lies in between: a call of anything but hooks and intrinsics, a
//! fence, an atomic operation. The accesses keep their source lines.
//!
//! # Why text
//!
//! The textual form needs no LLVM at build time, and at run time only the compiler that is there anyway, of any
//! version. Whatever a pass does not understand stays as it is. `ARCHITECTURE.md` compares the cost of text with that
//! of LLVM's library.
//!
//! # Definitions
//!
//! A *hook* is a call that reports an access to the runtime. A *counted* loop has one exit, at the end of a round, by a
//! comparison of a *counter* that takes equal steps with a bound that does not change. A *slice* is the arithmetic that
//! computes an address.
//!
//! # What it misses
//!
//! Loops with more than one exit, with calls, or whose addresses are loaded in each round; two counters in one address
//! (an inner loop is reported once for each round of the outer one, unless the address does not depend on the outer
//! counter).
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
//! let rewritten = foretrace_llvm::run(module, &foretrace_llvm::FASTER).unwrap().unwrap();
//! assert!(!rewritten.contains("__tsan_write8"));
//! assert!(rewritten.contains("call void @__foretrace_loop"));
//! ```

#![forbid(unsafe_code)]

mod call;
mod debug;
mod function;
mod global;
mod graph;
mod hook;
mod instruction;
mod layout;
mod module;
mod pass;
mod passes;
mod purity;
mod signature;
mod text;
mod types;

pub use call::{Argument, Call};
pub use debug::{Debug, Place};
pub use function::{Block, Function};
pub use global::Global;
pub use layout::Layout;
pub use module::{Constants, Definition, Module};
pub use pass::{Failure, Pass, Purpose, Refusal, run};
pub use passes::{
    EmitEvents, FollowValues, HoistCountedLoops, MarkWaitLoops, MergeNeighbours, SECTION, SummariseBranches,
    UnmarkedWait, Unmet, unmarked_waits,
};
pub use signature::{Parameter, Signature};
pub use types::{MemberPlace, Shape, SourceType};

/// The passes that every optimised build has: fewer calls for the same accesses.
pub const FASTER: [&dyn Pass; 2] = [&MergeNeighbours, &HoistCountedLoops];
