//! Calls of a stack, and which of them is named.

use crate::statement;
use serde::{Deserialize, Serialize};

/// One call.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The function, if it is known.
    pub function: Option<String>,
    /// The file, if it is known.
    pub file: Option<String>,
    /// From 1; zero: unknown.
    pub line: u32,
    /// From 1; zero: unknown.
    pub column: u32,
    /// The text of the line, if it could be read.
    pub source: Option<String>,
    /// The object file.
    pub module: String,
    /// The address in it.
    pub offset: u64,
}

/// Of calls, the innermost in the program's own source; else one whose source is known, or the innermost.
pub fn top(stack: &[Frame]) -> Option<&Frame> {
    let known = stack.iter().find(|frame| frame.file.is_some());
    stack.iter().find(|frame| frame.is_own()).or(known).or(stack.first())
}

/// Is there a call whose function, file or module matches?
pub(crate) fn any_frame<'a>(stack: impl IntoIterator<Item = &'a Frame>, matches: &dyn Fn(&str) -> bool) -> bool {
    stack.into_iter().any(|frame| {
        let names = [frame.function.as_deref(), frame.file.as_deref()];
        matches(&frame.module) || names.into_iter().flatten().any(matches)
    })
}

impl Frame {
    /// `file:line`, or the object file and the address.
    pub fn short(&self) -> String {
        match &self.file {
            Some(file) if self.line > 0 => format!("{file}:{}", self.line),
            Some(file) => file.clone(),
            None => format!("{}+{:#x}", self.module, self.offset),
        }
    }

    /// Is it in the program's own source, not in a header of the system or in a library of the language?
    pub fn is_own(&self) -> bool {
        let is_elsewhere = self.function.as_deref().is_some_and(is_standard) || is_language_library(&self.module);
        self.file.as_ref().is_some_and(|file| !is_system(file)) && !is_elsewhere
    }

    /// The part of the line that is meant.
    pub fn statement(&self) -> Option<&str> {
        let source = self.source.as_deref()?;
        Some(&source[statement::range(source, self.column)])
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        self.function.as_deref().unwrap_or("<unknown>")
    }
}

/// Directories of headers and sources that are not the user's.
const SYSTEM: [&str; 4] = ["/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/src/"];

fn is_system(file: &str) -> bool {
    SYSTEM.iter().any(|directory| file.starts_with(directory))
}

/// Libraries of C and C++, whose source is known where their debug files are installed.
const LANGUAGE: [&str; 6] = ["ld-linux", "libc.so", "libgcc_s.so", "libm.so", "libpthread.so", "libstdc++.so"];

fn is_language_library(module: &str) -> bool {
    LANGUAGE.iter().any(|library| module.starts_with(library))
}

/// Is it a function of the C++ library? A template's name has its result in front.
fn is_standard(function: &str) -> bool {
    let head = function.split(['(', '<']).next().unwrap_or_default();
    let name = head.rsplit(' ').next().unwrap_or_default();
    ["std::", "__gnu_cxx::"].iter().any(|space| name.starts_with(space))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(module: &str, file: &str, function: &str) -> Frame {
        let (module, file, function) = (module.to_owned(), Some(file.to_owned()), Some(function.to_owned()));
        Frame { module, file, function, ..Frame::default() }
    }

    #[test]
    fn the_place_of_a_stack_is_in_the_programs_own_source() {
        let own = frame("prog", "prog.c", "work");
        let others = [
            frame("libc.so.6", "./nptl/pthread_kill.c", "__pthread_kill_implementation"),
            frame("libstdc++.so.6.0.30", "../../src/terminate.cc", "__verbose_terminate_handler"),
            frame("prog", "/usr/include/c++/12/thread", "run"),
            frame("prog", "prog.c", "std::vector<int>::push_back(int)"),
        ];
        for other in others {
            assert_eq!(top(&[other.clone(), own.clone()]), Some(&own), "{other:?}");
        }
        assert!(frame("libcool.so", "cool.c", "work").is_own());
    }
}
