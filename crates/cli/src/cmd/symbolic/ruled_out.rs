//! Which predicted races the data of a followed run rule out, so that they need not be replayed.
//!
//! A prediction moves events and does not ask what they read: that an element of a queue is taken before it is put there, or
//! that two workers have the same part of an array. The accesses of a predicted race are found again in a followed run by
//! their lines, and the solver is asked whether two of them can be next at once.

use super::Following;
use crate::cmd::check::subject::Subject;
use crate::cmd::sources::program;
use foretrace_finding::Candidate;
use foretrace_order::Budget;
use foretrace_predict::Predicted;
use foretrace_replay::Program;
use foretrace_run::Modules;
use foretrace_symbolic::Together;
use std::collections::BTreeMap;

/// A line of the source.
type Line = (String, u32);

impl Following<'_> {
    /// For each prediction, whether it is ruled out. Without an answer it is not.
    pub fn ruled_out(&self, subject: &Subject, races: &[Predicted]) -> Vec<bool> {
        let none = || vec![false; races.len()];
        self.ask(subject, races).ok().flatten().unwrap_or_else(none)
    }

    fn ask(&self, subject: &Subject, races: &[Predicted]) -> anyhow::Result<Option<Vec<bool>>> {
        std::fs::create_dir_all(self.scratch)?;
        let Some(command) = self.sources.followed(self.scratch, self.atomic)? else { return Ok(None) };
        let (input, directory) = (self.like.input.clone(), self.like.directory.clone());
        let program = Program { input, directory, linger: self.like.linger, ..program(&command)? };
        // What follows values after the replays makes runs of its own beside these.
        let beside = self.scratch.join("asked");
        std::fs::create_dir_all(&beside)?;
        let (own, plan, directory) = Following { scratch: &beside, ..*self }.first(&program)?;
        let run = program.follow(&plan, &directory, self.limit())?;
        let followed = foretrace_symbolic::read(&run.records, run.steps)?;
        if followed.is_cut || run.run.death.is_some() {
            return Ok(None);
        }
        let Some(mut together) = Together::new(&followed)? else { return Ok(None) };
        let mut places: BTreeMap<Line, Vec<u64>> = BTreeMap::new();
        for place in together.places() {
            line(&own, &run.run.modules, place)
                .into_iter()
                .for_each(|line| places.entry(line).or_default().push(place));
        }
        let budget = Budget { until: Some(self.until), stop: Some(self.stop), conflicts: None };
        let mut known: BTreeMap<[Line; 2], bool> = BTreeMap::new();
        let one = |race: &Predicted| {
            let Some(lines) = lines(subject, &race.witness.candidate) else { return false };
            *known.entry(lines.clone()).or_insert_with(|| {
                let both = lines.each_ref().map(|line| places.get(line).map_or(&[][..], Vec::as_slice));
                together.is_possible(both, &budget) == Some(false)
            })
        };
        Ok(Some(races.iter().map(one).collect()))
    }
}

/// The lines of both accesses in the recorded run.
fn lines(subject: &Subject, candidate: &Candidate) -> Option<[Line; 2]> {
    let Candidate::Race(race) = candidate else { return None };
    let at = |event| line(subject, &subject.modules, subject.trace.pc(event));
    Some([at(race.first)?, at(race.second)?])
}

pub(super) fn line(subject: &Subject, modules: &Modules, pc: u64) -> Option<Line> {
    let frame = foretrace_explain::place(&subject.symbols, modules, &subject.base(), pc)?;
    Some((frame.file?, frame.line))
}
