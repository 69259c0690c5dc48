//! A recording as input.

use super::clock::Clock;
use super::coverage::Coverage;
use super::feed::{Feed, Step, touches};
use super::pipe::{Pipe, piped};
use super::places::{Borders, Places};
use super::{Out, Source};
use foretrace_event::layout::Flags;
use foretrace_event::wire::{Access, Record};
use foretrace_stream::engine::Engine;
use foretrace_trace::{Note, Recording};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// Feeds a recording to the engine: once to see which bytes are accessed together, once to hand the events over.
pub fn run(path: &Path, source: &Source<'_>, engine: &mut Engine, out: &mut Out<'_>) -> anyhow::Result<Coverage> {
    let recording = Recording::open(path)?;
    let mut places = Places::new(recording.modules());
    source.watch(&mut places)?;
    let clock = if source.clock { Some(Clock::new(recording.header().clock)?) } else { None };
    let flags = recording.header().flags;
    let mut coverage = Coverage::Whole;
    if Feed::wants_memory(engine) && !flags.has(Flags::ACCESSES) {
        coverage.misses("no memory access is in the recording: build the program with `foretrace cc`");
    }
    if Feed::wants_memory(engine) && Feed::wants_places(engine) && !flags.has(Flags::LOCATIONS) {
        crate::output::say!(
            "recorded without --locations: an access is shown at the first line of its segment that touched the same 64 \
             bytes"
        );
    }
    let groups = Groups::of(&recording, places.borders())?;
    let threads: Vec<u64> = recording.threads().map(|thread| u64::from(thread.id)).collect();
    let mut feed = Feed::new(engine, places, clock)?;
    let read = |pipe: &mut Pipe<(usize, Step)>| {
        for record in recording.merged() {
            let (thread, entry) = record?;
            let wanted = match entry.record {
                Record::Sync(sync) => pipe.send((thread, Step::Sync(sync))),
                Record::Access(access) => {
                    let groups = groups.of_line(access.line);
                    touches(&access, groups).all(|touch| pipe.send((thread, Step::Touch(touch))))
                }
            };
            if !wanted {
                break;
            }
        }
        Ok(())
    };
    piped(read, |(thread, step)| {
        feed.step(engine, threads[thread], &step, out)?;
        Ok(!engine.stopped())
    })?;
    feed.finish(engine, out);
    for note in recording.notes() {
        match note {
            Note::SizeLimit | Note::DiskFull | Note::Lost(_) | Note::CutOff { .. } | Note::MissingChunk { .. } => {
                coverage.misses(&note.to_string());
            }
            Note::Gap { .. } => coverage.misses(&note.to_string()),
            note => crate::output::say!("{note}"),
        }
    }
    Ok(coverage)
}

/// The bytes of every line in groups that are always accessed together: what a variable is, seen from outside.
///
/// Few lines are divided in a way of their own: they share those there are, by number.
#[derive(Default)]
pub struct Groups {
    lines: FxHashMap<u64, u32>,
    ways: Vec<Arc<[u64]>>,
    numbers: FxHashMap<Arc<[u64]>, u32>,
}

impl Groups {
    fn of(recording: &Recording, borders: &Borders) -> anyhow::Result<Groups> {
        let mut groups = Groups::default();
        let read = |pipe: &mut Pipe<Access>| {
            for index in 0..recording.threads().len() {
                for entry in recording.records(index) {
                    if let Record::Access(access) = entry?.record
                        && !pipe.send(access)
                    {
                        return Ok(());
                    }
                }
            }
            Ok(())
        };
        piped(read, |access| {
            groups.with(&access, borders);
            Ok(true)
        })?;
        Ok(groups)
    }

    /// The groups of a line that is accessed, with this access.
    pub fn with(&mut self, access: &Access, borders: &Borders) -> &[u64] {
        let known = self.lines.get(&access.line).copied();
        if let Some(way) = known
            && [access.reads, access.writes].iter().all(|mask| is_divided(&self.ways[way as usize], *mask))
        {
            return &self.ways[way as usize];
        }
        let mut groups = known.map_or(Vec::new(), |way| self.ways[way as usize].to_vec());
        refine(&mut groups, access.line, access.reads, borders);
        refine(&mut groups, access.line, access.writes, borders);
        let way = self.number(groups.into());
        self.lines.insert(access.line, way);
        &self.ways[way as usize]
    }

    fn number(&mut self, groups: Arc<[u64]>) -> u32 {
        *self.numbers.entry(groups).or_insert_with_key(|groups| {
            self.ways.push(groups.clone());
            self.ways.len() as u32 - 1
        })
    }

    pub fn of_line(&self, line: u64) -> &[u64] {
        self.lines.get(&line).map_or(&[], |way| &self.ways[*way as usize])
    }
}

/// Whether the mask consists of whole groups.
#[inline]
fn is_divided(groups: &[u64], mask: u64) -> bool {
    let whole = |part: u64, group: &u64| part | if group & mask == *group { *group } else { 0 };
    groups.iter().fold(0, whole) == mask
}

/// Splits the groups of a line so that each lies within the mask or outside of it.
fn refine(groups: &mut Vec<u64>, line: u64, mask: u64, borders: &Borders) {
    // Mostly nothing changes.
    if is_divided(groups, mask) {
        return;
    }
    let known = groups.iter().fold(0, |all, group| all | group);
    for index in 0..groups.len() {
        let (inside, outside) = (groups[index] & mask, groups[index] & !mask);
        if inside != 0 && outside != 0 {
            groups[index] = inside;
            groups.push(outside);
        }
    }
    if mask & !known != 0 {
        groups.extend(borders.split(line, mask & !known));
    }
    groups.sort_by_key(|group| group.trailing_zeros());
}
