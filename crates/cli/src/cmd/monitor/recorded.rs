//! A recording as input.

use super::clock::Clock;
use super::coverage::Coverage;
use super::feed::{Feed, Step, touches};
use super::groups::Groups;
use super::pipe::{Pipe, piped};
use super::places::Places;
use super::{Out, Source};
use crate::cmd::probes::Probes;
use foretrace_event::layout::Flags;
use foretrace_event::wire::Record;
use foretrace_stream::engine::Engine;
use foretrace_trace::{Note, Recording};
use std::path::Path;

/// Feeds a recording to the engine: once to see which bytes are accessed together, once to hand the events over.
pub fn run(path: &Path, source: &Source<'_>, engine: &mut Engine, out: &mut Out<'_>) -> anyhow::Result<Coverage> {
    let recording = Recording::open(path)?;
    let probes = Probes::of(source.spec)?;
    let mut places = Places::new(recording.modules()).with_events(recording.event_names());
    source.watch(&mut places)?;
    let clock = if source.clock { Some(Clock::new(recording.header().clock)?) } else { None };
    let flags = recording.header().flags;
    let mut coverage = Coverage::Whole;
    let missing = source.missing(&probes, &places)?;
    if Feed::wants_memory(engine) && !flags.has(Flags::ACCESSES) {
        coverage.misses("no memory access is in the recording: build the program with `foretrace cc`");
    }
    if Feed::wants_memory(engine) && Feed::wants_places(engine) && !flags.has(Flags::LOCATIONS) {
        crate::output::say!(
            "recorded without --locations: an access is shown at the first line of its segment that touched the same 64 \
             bytes"
        );
    }
    let mut groups = Groups::of(&recording, places.borders())?;
    let threads: Vec<u64> = recording.threads().map(|thread| u64::from(thread.id)).collect();
    let mut feed = Feed::new(engine, places, clock, &probes)?;
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
    missing.iter().for_each(|missing| coverage.misses(missing));
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
