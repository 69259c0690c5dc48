//! One run of a plan in which values are followed: its steps, and the file of the runtime about them.

use super::PlanText;
use super::control::Control;
use crate::{Program, ReplayError, TimeLimit};
use foretrace_event::symbolic::{MOST_RECORDS, RECORD_WORDS};
use foretrace_explore::Step;
use foretrace_run::Run;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a followed run left.
pub struct FollowedRun {
    /// How it went.
    pub run: Run,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The file `symbolic`, as the runtime wrote it.
    pub records: Vec<u8>,
}

/// As much of the file as its own header says is used; the rest is a hole.
fn read_used(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = [0; 8 * RECORD_WORDS];
    file.read_exact(&mut head)?;
    let count = u64::from_le_bytes(head[8..16].try_into().expect("eight bytes")).min(MOST_RECORDS as u64);
    let mut bytes = head.to_vec();
    file.take(8 * RECORD_WORDS as u64 * count.saturating_sub(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Program {
    /// Runs a plan once, from the beginning of the program, and follows its values. The plan's directory has its files.
    ///
    /// # Errors
    /// If it cannot be run, or what it left cannot be read.
    pub fn follow(
        &self,
        plan: &PlanText,
        directory: &Path,
        limit: impl Into<TimeLimit>,
    ) -> Result<FollowedRun, ReplayError> {
        let error = |source| ReplayError::Io { path: directory.to_owned(), source };
        let path = directory.join("symbolic");
        let options = || File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let mut file = options().map_err(error)?;
        file.set_len(8 * (RECORD_WORDS * MOST_RECORDS) as u64).map_err(error)?;
        let run = self.run_plan(plan, directory, false, limit)?;
        let answered = Control::create(directory).and_then(|control| control.get()).map_err(error)?;
        let answered = answered.map_err(|malformed| error(io::Error::other(malformed)))?;
        let records = read_used(&mut file).map_err(error)?;
        Ok(FollowedRun { run, steps: answered.steps, records })
    }
}
