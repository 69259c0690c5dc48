//! The programs of tables 1 and 2 of Wang et al., in C, with the seconds that the paper gives (1.6 GHz, yices 1).

use anyhow::{Context, ensure};
use foretrace_ctp::{Ctp, text};
use std::path::Path;
use std::process::Command;

/// A row of a table.
pub struct Program {
    pub name: String,
    /// Whether it is about regions, not assertions.
    pub regions: bool,
    /// The seconds of the paper's symbolic analysis.
    pub paper: f64,
    file: &'static str,
    flags: String,
}

/// All rows.
pub fn all() -> Vec<Program> {
    let one = |name: String, file, flags: String, paper| {
        let regions = matches!(file, "atom.c" | "bank.c");
        Program { name, regions, paper, file, flags }
    };
    let mut found = Vec::new();
    for (threads, passes, fails) in [(2, 0.1, 0.1), (5, 0.3, 0.1), (10, 1.6, 0.1)] {
        found.push(one(format!("banking-{threads}"), "banking.c", format!("-DTHREADS={threads}"), passes));
        found.push(one(format!("banking-{threads}a"), "banking.c", format!("-DTHREADS={threads} -DERROR"), fails));
    }
    for (threads, passes, fails) in [(10, 0.1, None), (15, 0.1, Some(0.4)), (20, 0.4, Some(3.2)), (25, 0.9, Some(26.1))]
    {
        found.push(one(format!("indexer-{threads}"), "indexer.c", format!("-DTHREADS={threads}"), passes));
        let error =
            |fails| one(format!("indexer-{threads}a"), "indexer.c", format!("-DTHREADS={threads} -DERROR"), fails);
        found.extend(fails.map(error));
    }
    for (name, flags, paper) in [
        ("atom001", "-DREMOTE=2 -DLATER=6", 0.03),
        ("atom001a", "-DREMOTE=2 -DLATER=6 -DFIXED", 0.03),
        ("atom002", "-DREMOTE=34 -DLATER=178", 20.4),
        ("atom002a", "-DREMOTE=34 -DLATER=178 -DFIXED", 17.6),
    ] {
        found.push(one(name.to_owned(), "atom.c", flags.to_owned(), paper));
    }
    let kinds = [("av", 0, [0.1, 0.6, 2.3, 2.5]), ("sav", 2, [0.2, 0.9, 3.8, 4.6]), ("nav", 4, [0.2, 0.2, 3.7, 140.6])];
    for (kind, protected, seconds) in kinds {
        for (threads, paper) in [2, 4, 6, 8].into_iter().zip(seconds) {
            let flags = format!("-DTHREADS={threads} -DPROTECTED={protected}");
            found.push(one(format!("bank-{kind}-{threads}"), "bank.c", flags, paper));
        }
    }
    found
}

impl Program {
    /// The concurrent trace program of one run.
    pub fn followed(&self, tool: &Path) -> anyhow::Result<Ctp> {
        let written = tempfile::NamedTempFile::with_suffix(".ctp")?;
        let find = if self.regions { "atomicity" } else { "assertions" };
        let mut command = Command::new("timeout");
        command.arg("60").arg(tool).args(["symbolic", "--find", find, "--cflags", &self.flags, "--emit-ctp"]);
        command.arg(written.path()).arg(Path::new("tests/symbolic/tables").join(self.file));
        let output = command.env("FORETRACE_CC", "clang-19").output().context("cannot run foretrace symbolic")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code().is_some_and(|code| code < 2), "{}: {said}", self.name);
        Ok(text::parse(&std::fs::read_to_string(written.path())?)?)
    }
}
