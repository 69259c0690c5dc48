//! The compiler wrapper as a function: from the build system's call to the command that runs instead.
//!
//! [`plan`] takes the arguments of a compiler and returns the one command to run in their place. It starts nothing and
//! reads only response files, through a function that it is given, so the whole wrapper is tested by a table.
//!
//! # What it decides
//!
//! *The user's arguments are never changed, only added to.* Most of our flags come before them, so that the user's
//! flags win (`-fno-sanitize=thread` for one file); flags that must win come after them. A build system's response
//! files stay as they are, because their contents may not fit on a command line.
//!
//! | call | what is added |
//! | --- | --- |
//! | asks something (`--version`, `-E`, `-M`, `-print-…`), or has no input | nothing |
//! | compiles | `-fsanitize=thread`, frame pointers, no sibling-call optimisation, line numbers if no `-g` was given, and the compiler-specific switches below |
//! | links a program | the runtime's object and the list of symbols it exports, and no runtime of the sanitizer |
//! | links a library (`-shared`) or an object (`-r`) | no runtime: the program that loads it brings it |
//!
//! `-fno-optimize-sibling-calls` keeps the last call of a function a call. As a jump it would seem to come from the
//! function's caller, and accesses of the called library function would be attributed to no instrumented code.
//!
//! For clang, `-tsan-compound-read-before-write` makes `x++` one `__tsan_read_write4` where the read would be dropped,
//! and `-mprefer-vector-width=128` keeps the vectoriser from 32-byte accesses, which clang leaves without a hook. For
//! gcc, `-B` puts a directory with an empty `libtsan.a` before gcc's own, so that one command can compile and link.
//!
//! [`detour`] returns more than one command for sources under clang: to LLVM's textual form, which the caller rewrites
//! (`foretrace-llvm`), and from there to an object. A call that it does not understand completely is left to [`plan`].
//!
//! # Definitions
//!
//! The *driver* is the language that the wrapper was called for, C or C++; the *family* is the set of options that the
//! real compiler takes; a *launcher* is a program such as `ccache` that runs the compiler given to it.
//!
//! # Deviations
//!
//! A call with `-v` and an input is treated as a compilation; `-v` alone is a question.
//!
//! # What it misses
//!
//! Under clang, 32-byte accesses that a program makes with vector intrinsics are not seen. Static programs (`-static`)
//! cannot be recorded: the runtime needs a dynamic C library that it can interpose.
//!
//! # Example
//!
//! ```
//! use foretrace_cc::{Compiler, Family, Runtime, plan};
//! let gcc = Compiler { command: vec!["gcc".into()], family: Family::Gcc };
//! let runtime = Runtime::in_directory("/cache".as_ref());
//! let args = ["-O2", "-c", "a.c"].map(Into::into);
//! let command = plan(&gcc, &runtime, &args, &|_| None).unwrap();
//! assert_eq!(command[0], "gcc");
//! assert!(command.contains(&"-fsanitize=thread".into()));
//! assert!(command.ends_with(&args));
//! ```

#![forbid(unsafe_code)]

mod call;
mod compiler;
mod detour;
mod environment;
mod error;
mod flags;
mod input;
mod options;
mod response;

pub use call::{Call, HOOK_EACH_READ, Stage};
pub use compiler::{Choice, Compiler, Driver, Family, candidates, choose};
pub use detour::{Detour, Levels, Step, Unit, detour};
pub use environment::{VARIABLES, unknown_variables};
pub use error::Error;
pub use flags::{Runtime, compiles, links, plan};
pub use response::ReadFile;
