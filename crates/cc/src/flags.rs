//! The flags that are added to a call.

use crate::{Call, Compiler, Error, Family, ReadFile, Stage};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The parts of the runtime that a link needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runtime {
    /// The runtime as one object file.
    pub object: PathBuf,
    /// The symbols a program must export for the libraries it loads, as a dynamic list.
    pub exports: PathBuf,
    /// A linker script with the names of interposed functions of libraries other than libc.
    pub names_script: PathBuf,
    /// The same names as an object file.
    pub names_object: PathBuf,
    /// A linker script with clang's names of the functions that report undefined behaviour.
    pub undefined: PathBuf,
    /// A directory with an empty `libtsan`, for gcc's `-B`.
    pub gcc: PathBuf,
    /// The directory of `foretrace.h`.
    pub include: PathBuf,
}

impl Runtime {
    /// The parts in this directory, under their usual names.
    pub fn in_directory(directory: &Path) -> Self {
        Self {
            object: directory.join("foretrace-rt.o"),
            exports: directory.join("exports.list"),
            names_script: directory.join("names.ld"),
            names_object: directory.join("names.o"),
            undefined: directory.join("ubsan.ld"),
            gcc: directory.join("gcc"),
            include: directory.join("include"),
        }
    }
}

/// The command to run in place of the compiler with these arguments.
pub fn plan(compiler: &Compiler, runtime: &Runtime, args: &[OsString], read: ReadFile) -> Result<Vec<OsString>, Error> {
    let call = Call::read(args.iter().map(|arg| arg.to_string_lossy().into_owned()), read)?;
    let last_words = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let mut command = prepared(compiler, runtime, &call);
    command.extend_from_slice(&args[..last_words]);
    command.extend(after(&call));
    command.extend_from_slice(&args[last_words..]);
    Ok(command)
}

/// Does a call with these arguments compile any source?
pub fn compiles(args: &[OsString], read: ReadFile) -> Result<bool, Error> {
    let call = Call::read(args.iter().map(|arg| arg.to_string_lossy().into_owned()), read)?;
    Ok(call.compiles && call.stage != Stage::Ask)
}

/// Does a call with these arguments link a program or a library?
pub fn links(args: &[OsString], read: ReadFile) -> Result<bool, Error> {
    let call = Call::read(args.iter().map(|arg| arg.to_string_lossy().into_owned()), read)?;
    Ok(matches!(call.stage, Stage::Program | Stage::Library))
}

/// The compiler, and the flags that come before the user's.
pub fn prepared(compiler: &Compiler, runtime: &Runtime, call: &Call) -> Vec<OsString> {
    let mut command = compiler.command.clone();
    command.extend(before(compiler.family, runtime, call));
    command
}

fn before(family: Family, runtime: &Runtime, call: &Call) -> Vec<OsString> {
    let links = matches!(call.stage, Stage::Program | Stage::Library | Stage::Relocatable);
    let mut flags = Vec::new();
    if call.stage == Stage::Ask || !(call.compiles || links) {
        return flags;
    }
    if call.compiles {
        // Behind the user's own directories.
        flags.push(joined("-idirafter", &runtime.include));
    }
    flags.push("-fsanitize=thread".into());
    // Gcc instruments during the link if it optimises then; clang has already done so.
    if call.compiles || (call.link_time && family == Family::Gcc) {
        flags.extend(instrumentation(family, call));
    }
    if links {
        flags.push(without_sanitizer_runtime(family, runtime));
    }
    if call.stage == Stage::Program {
        let names = if call.defines_names { &runtime.names_object } else { &runtime.names_script };
        // The script comes before the object: a name that is already referred to would be defined at once, before the
        // linker has seen which libraries are needed for it.
        flags.extend(["-Xlinker".into(), names.clone().into()]);
        // Clang's own functions for this are part of ThreadSanitizer's runtime; gcc has a separate library.
        if call.checks_undefined && family == Family::Clang {
            flags.extend(["-Xlinker".into(), runtime.undefined.clone().into()]);
        }
        flags.extend(["-Xlinker".into(), runtime.object.clone().into()]);
        flags.extend(["-Xlinker".into(), joined("--dynamic-list=", &runtime.exports)]);
    }
    flags
}

/// Details of how accesses are instrumented.
fn instrumentation(family: Family, call: &Call) -> Vec<OsString> {
    let mut flags = vec!["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"];
    if !call.chooses_debug {
        flags.push("-g1");
    }
    match family {
        Family::Gcc => {
            flags.extend(["--param", "tsan-instrument-func-entry-exit=0"]);
            flags.extend(NOT_INLINE);
        }
        Family::Clang => {
            if !call.hooks_each_read {
                flags.extend(["-mllvm", "-tsan-compound-read-before-write=1"]);
            }
            flags.extend(["-mllvm", "-tsan-instrument-func-entry-exit=0"]);
            flags.extend(cfg!(target_arch = "x86_64").then_some("-mprefer-vector-width=128"));
        }
    }
    flags.into_iter().map(OsString::from).collect()
}

/// Gcc expands these functions after it has instrumented the accesses, so what they touch would be missed. As calls
/// they are interposed.
const NOT_INLINE: [&str; 8] = [
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-mempcpy",
    "-fno-builtin-memset",
    "-fno-builtin-stpcpy",
    "-fno-builtin-strcat",
    "-fno-builtin-strcpy",
    "-fno-builtin-strncpy",
];

fn without_sanitizer_runtime(family: Family, runtime: &Runtime) -> OsString {
    match family {
        Family::Gcc => joined("-B", &runtime.gcc),
        Family::Clang => "-fno-sanitize-link-runtime".into(),
    }
}

/// Flags that must come last.
fn after(call: &Call) -> Vec<OsString> {
    let mut flags = Vec::new();
    match call.stage {
        Stage::Program => flags.extend(["-lpthread", "-ldl"]),
        // The program that loads the library defines the hooks. Unlike `-z undefs`, gold supports this option.
        Stage::Library if call.wants_definitions => flags.push("-Wl,--unresolved-symbols=ignore-in-object-files"),
        Stage::Library | Stage::Ask | Stage::Compile | Stage::Relocatable => {}
    }
    if call.stage == Stage::Program && call.bare {
        flags.push("-lc");
    }
    flags.into_iter().map(OsString::from).collect()
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}
