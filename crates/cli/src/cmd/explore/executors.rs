//! One executor for each core. All begin alike, or only one is used.

use super::searching::Searching;
use crate::identity::Hash;
use foretrace_explore::{End, Execution, Executor, Plan};
use foretrace_replay::{ExploreError, Forked, PlanText, Program, Setup, TimeLimit};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Executors that stand before the first thread of the program.
pub struct Executors {
    all: Vec<Forked>,
    /// How the program runs if nothing is prescribed, if that ends.
    pub usual: Option<Usual>,
    /// Why there is only one, if there could be more.
    pub alone: Option<Alone>,
    /// The user has not said how many there are to be.
    by_default: bool,
    directory: PathBuf,
}

/// A number that stands for the execution in which nothing is prescribed: it changes if the program, its input or its addresses
/// do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usual(pub u64);

/// Why there is only one executor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alone {
    /// The program writes files, which executions would share.
    WritesFiles,
    /// Started a second time, the program does not run as it did before.
    StartsDifferently,
}

impl Usual {
    fn of(execution: &Execution) -> Option<Self> {
        let mut hash = Hash::default();
        for step in &execution.steps {
            hash.add(
                format!("{:?} {:?} {:?} {:x}\n", step.choice(), step.operation, step.enabled, step.place).as_bytes(),
            );
        }
        (execution.end != End::TimedOut).then_some(Self(hash.0))
    }
}

impl Executors {
    /// Starts them: the first with the numbers of threads that an earlier search used.
    pub fn start(
        searching: &Searching,
        program: &Program,
        (scratch, earlier): (&Path, Option<&PlanText>),
        stop: &'static AtomicBool,
    ) -> Result<Self, ExploreError> {
        let (cores, directory) = (cores(), scratch.join("executions"));
        let own = own_directory(&directory, 0)?;
        if let Some(earlier) = earlier {
            earlier.write(&own).map_err(|source| ExploreError::Io { path: own.clone(), source })?;
        }
        let limit = TimeLimit { stop: Some(stop), ..searching.timeout.into() };
        let setup = Setup { limit, spurious: searching.spurious, fast: !searching.fork, core: cores[0] };
        let mut first = Forked::new(program, &own, setup)?;
        if searching.prune.is_some() {
            first.take_notes()?;
        }
        let usual = Usual::of(&first.execute(&Plan::new(Vec::new()))?);
        let by_default = searching.jobs == 0;
        let mut executors = Self { all: vec![first], usual, alone: None, by_default, directory };
        let jobs = if by_default { cores.len() } else { searching.jobs };
        if jobs > 1 && usual.is_some() && !executors.must_be_alone() {
            executors.start_others(jobs, &cores)?;
        }
        Ok(executors)
    }

    fn start_others(&mut self, jobs: usize, cores: &[usize]) -> Result<(), ExploreError> {
        for number in 1..jobs {
            let directory = own_directory(&self.directory, number)?;
            let mut another = self.all[0].another(&directory, cores[number % cores.len()])?;
            // Here, and not in the threads below: the program ends with the thread that has started it.
            another.start()?;
            self.all.push(another);
        }
        let usual = self.usual;
        let alike = std::thread::scope(|scope| {
            let try_one = |executor: &mut Forked| executor.execute(&Plan::new(Vec::new())).ok();
            let others: Vec<_> =
                self.all[1..].iter_mut().map(|executor| scope.spawn(move || try_one(executor))).collect();
            let runs = others.into_iter().map(|other| other.join().ok().flatten());
            runs.map(|run| run.as_ref().and_then(Usual::of)).all(|other| other == usual)
        });
        if !alike {
            self.leave_one(Alone::StartsDifferently);
        }
        Ok(())
    }

    fn leave_one(&mut self, why: Alone) {
        self.all.truncate(1);
        self.alone = Some(why);
    }

    /// The executors.
    pub fn all(&mut self) -> &mut [Forked] {
        &mut self.all
    }

    /// The first of them.
    pub fn first(&self) -> &Forked {
        &self.all[0]
    }

    /// Would executions of several at a time write to the same files, which the user has not asked for?
    fn must_be_alone(&self) -> bool {
        self.by_default && self.first().notes().get().writes_files()
    }

    /// Are there several, for which it is only now known that there must be one? Then there is one.
    pub fn are_reduced(&mut self) -> bool {
        let reduced = self.all.len() > 1 && self.must_be_alone();
        if reduced {
            self.leave_one(Alone::WritesFiles);
        }
        reduced
    }

    /// May several run at a time only as long as none writes files?
    pub fn are_several_by_default(&self) -> bool {
        self.by_default && self.all.len() > 1
    }

    /// From now on plain accesses of these bytes are visible.
    pub fn set_visible(&mut self, ranges: &[Range<u64>]) {
        self.all.iter_mut().for_each(|executor| executor.set_visible(ranges.to_vec()));
    }
}

fn own_directory(directory: &Path, number: usize) -> Result<PathBuf, ExploreError> {
    let own = directory.join(number.to_string());
    fs::create_dir_all(&own).map_err(|source| ExploreError::Io { path: own.clone(), source })?;
    Ok(own)
}

/// The cores that this process may use; at least one.
fn cores() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
    let cores = listed(list.trim());
    if cores.is_empty() { vec![0] } else { cores }
}

/// The numbers of a list such as `0-2,7`.
fn listed(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lists_of_cores_are_read() {
        assert_eq!(listed("0-2,7"), [0, 1, 2, 7]);
        assert_eq!(listed("3"), [3]);
        assert_eq!(listed(""), [0; 0]);
    }
}
