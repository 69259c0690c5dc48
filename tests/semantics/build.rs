//! Building a program every way that it can be recorded.

use crate::expect::Program;
use crate::run::{finish, foretrace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program is built, and so how it is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// With `foretrace cc` on gcc.
    Gcc,
    /// With `foretrace cc` on clang.
    Clang,
    /// With gcc's own ThreadSanitizer, whose library ours stands in for.
    Tsan,
    /// Plainly; the runtime is preloaded and sees synchronisation only.
    Preload,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gcc, Self::Clang, Self::Tsan, Self::Preload];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Clang => "clang",
            Self::Tsan => "tsan",
            Self::Preload => "preload",
        }
    }

    fn compiler(self, is_cxx: bool) -> Command {
        match (self, is_cxx) {
            (Self::Gcc, false) => foretrace(&["cc", "--compiler", "gcc"]),
            (Self::Gcc, true) => foretrace(&["c++", "--compiler", "g++"]),
            (Self::Clang, false) => foretrace(&["cc", "--compiler", "clang-19"]),
            (Self::Clang, true) => foretrace(&["c++", "--compiler", "clang++-19"]),
            (Self::Tsan | Self::Preload, false) => Command::new("gcc"),
            (Self::Tsan | Self::Preload, true) => Command::new("g++"),
        }
    }

    fn flags(self) -> &'static [&'static str] {
        if self == Self::Tsan { &["-fsanitize=thread"] } else { &[] }
    }
}

/// Builds a program into `directory`, with its plugins, and says where it is.
pub fn build(program: &Program, way: Way, directory: &Path) -> PathBuf {
    let output = directory.join(way.name());
    for plugin in &program.plugins {
        let way = if plugin.is_plain { Way::Preload } else { way };
        let source = program.path.with_file_name(&plugin.source);
        let library = directory.join(&plugin.source).with_extension("so");
        let mut command = way.compiler(false);
        compile(command.args(way.flags()).args(["-shared", "-fPIC", "-O1"]).arg(source), &library);
    }
    let is_cxx = program.path.extension().is_some_and(|extension| extension == "cc");
    let mut command = way.compiler(is_cxx);
    command.args(["-g", "-O1", "-Wall", "-pthread"]).args(way.flags()).arg(&program.path);
    compile(command.args(&program.flags), &output);
    output
}

fn compile(command: &mut Command, output: &Path) {
    let outcome = finish(command.arg("-o").arg(output), output);
    assert!(outcome.status.success(), "{command:?}:\n{}", outcome.stderr);
}
