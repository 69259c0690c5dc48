//! Calls that cannot be turned into a recordable program.

use std::path::PathBuf;

/// Why a call has no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A static program has no dynamic loader that could put the runtime in front of the C library.
    #[error("{flag} makes a static program, which cannot be recorded; link it without {flag}")]
    Static { flag: String },
    /// Another sanitizer's hooks would replace ours.
    #[error("-fsanitize={name} cannot be combined with recording; leave it out of the build that foretrace records")]
    Sanitizer { name: String },
    /// A response file names itself, directly or through others.
    #[error("response file {} is nested more than {depth} deep; does it name itself?", file.display())]
    Nested { file: PathBuf, depth: usize },
    /// `--compiler` is the last argument.
    #[error("--compiler needs a compiler after it, as in --compiler clang-19")]
    CompilerMissing,
    /// No compiler was named or found.
    #[error("no compiler found (looked for {looked_for}); install one, or name it in {variable}")]
    NoCompiler { looked_for: String, variable: &'static str },
}
