//! The wrapper's own options, which come before those of the compiler.

use anyhow::Context;
use foretrace_cc::HOOK_EACH_READ;
use std::ffi::OsString;
use std::path::PathBuf;

/// The option that has values followed.
pub const SYMBOLIC: &str = "--symbolic";
/// The option that names a specification of events.
pub const EVENTS: &str = "--events";
/// The variable that names one for a whole build.
pub const EVENTS_VARIABLE: &str = "FORETRACE_EVENTS";

/// The wrapper's own options.
#[derive(Default)]
pub struct Own {
    /// Values are followed.
    pub symbolic: bool,
    /// The specifications of events.
    pub events: Vec<PathBuf>,
}

impl Own {
    /// Takes the wrapper's own options; the rest are the compiler's, `--compiler NAME` included.
    /// Without specifications there, those of the environment count, or else those of the project.
    pub fn take(
        args: &[OsString],
        of_project: impl FnOnce() -> anyhow::Result<Vec<PathBuf>>,
    ) -> anyhow::Result<(Self, Vec<OsString>)> {
        let mut own = Self::default();
        let mut rest = args;
        while let Some((first, others)) = rest.split_first() {
            let text = first.to_str().unwrap_or_default();
            if text == SYMBOLIC {
                own.symbolic = true;
            } else if let Some(file) = text.strip_prefix(EVENTS).and_then(|rest| rest.strip_prefix('=')) {
                own.events.push(file.into());
            } else if text == EVENTS {
                let file = others.first().context("--events needs a file: --events FILE")?;
                own.events.push(file.into());
                rest = &others[1..];
                continue;
            } else {
                break;
            }
            rest = others;
        }
        if own.events.is_empty() {
            let set = std::env::var_os(EVENTS_VARIABLE).filter(|value| !value.is_empty());
            own.events.extend(set.iter().flat_map(|files| std::env::split_paths(files)));
        }
        if own.events.is_empty() && !own.symbolic {
            own.events = of_project()?;
        }
        Ok((own, rest.to_vec()))
    }

    /// The compiler's arguments with what these options need. Where values are followed, each read and each write needs a
    /// hook of its own, because other threads may come between the two; events may use members, whose places only complete
    /// debug information has.
    pub fn compiler_args(&self, args: &[OsString]) -> Vec<OsString> {
        let options: &[&str] = match self {
            _ if self.symbolic && !self.events.is_empty() => &["-g", "-mllvm", HOOK_EACH_READ],
            _ if self.symbolic => &["-mllvm", HOOK_EACH_READ],
            _ if !self.events.is_empty() => &["-g"],
            _ => &[],
        };
        let end = args.iter().position(|word| word == "--").unwrap_or(args.len());
        let (before, files) = args.split_at(end);
        let options: Vec<OsString> = options.iter().map(OsString::from).collect();
        [before, &options, files].concat()
    }
}
