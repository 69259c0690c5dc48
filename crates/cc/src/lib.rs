//! The compiler wrapper as a function: what the build system asked for, and what is run instead.
//!
//! [`plan`] takes the arguments a compiler was called with and answers with the one command to run in their place. It
//! starts nothing and reads nothing but response files, through a function it is given, so the whole wrapper is
//! tested as a table.
//!
//! # What it decides
//!
//! *The user's arguments are never changed, only added to*: flags of ours stand before them, so that what the user says
//! later wins (`-fno-sanitize=thread` for one file), and what must have the last word stands after them. A build
//! system's own response files stay as they are, for their contents may not fit a command line.
//!
//! | the call | what is added |
//! | --- | --- |
//! | asks something (`--version`, `-E`, `-M`, `-print-…`), or has no input | nothing |
//! | compiles | `-fsanitize=thread`, frame pointers, calls that stay calls, line numbers if no `-g` was given, the compiler's own switches below |
//! | links a program | the runtime's object and the list of symbols it exports, and no runtime of the sanitizer |
//! | links a library (`-shared`) or an object (`-r`) | no runtime: the program that loads it brings it |
//!
//! `-fno-optimize-sibling-calls` keeps the last call of a function a call: as a jump it would seem to come from the function's
//! caller, and what a function of the library does for it would be nobody's.
//!
//! For clang, `-tsan-compound-read-before-write` makes `x++` one `__tsan_read_write4` where the read would be dropped,
//! and `-mprefer-vector-width=128` keeps the vectoriser from 32-byte accesses, which clang leaves without a hook. For
//! gcc, `-B` puts a directory with an empty `libtsan.a` before gcc's own, so that one command can compile and link.
//!
//! [`detour`] answers with more than one command for sources under clang: to LLVM's textual form, which the caller
//! rewrites (`foretrace-llvm`), and from there to an object. A call that it does not understand to the last word stays
//! with [`plan`].
//!
//! # Definitions
//!
//! The *driver* is the language the wrapper was called for, C or C++; the *family* is whose options the real compiler
//! takes; a *launcher* is a program such as `ccache` that runs the compiler given to it.
//!
//! # Deviations
//!
//! A call with `-v` and an input is a compilation and is treated as one; `-v` alone asks something.
//!
//! # What it misses
//!
//! 32-byte accesses that a program writes itself with vector intrinsics are unseen under clang. Static programs
//! (`-static`) cannot be recorded: the runtime stands in front of the C library, and a static program has none behind.
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

pub use call::{Call, Stage};
pub use compiler::{Choice, Compiler, Driver, Family, candidates, choose};
pub use detour::{Detour, Levels, Step, Unit, detour};
pub use environment::{VARIABLES, unknown_variables};
pub use error::Error;
pub use flags::{Runtime, compiles, plan};
pub use response::ReadFile;
