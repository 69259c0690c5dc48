//! The concurrent trace program of one followed run, with the lines of the source as labels.

use super::Following;
use super::ruled_out::line;
use crate::cmd::sources::{Sources, program};
use anyhow::Context;
use foretrace_ctp::Ctp;
use foretrace_symbolic::{Asks, Followed};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The program of a run of these sources, in which calls of some functions are regions.
pub fn followed(
    (sources, atomic): (&Sources, &[String]),
    scratch: &Path,
    (timeout, stop): (Duration, &'static AtomicBool),
) -> anyhow::Result<Ctp> {
    let command = sources.followed(scratch, atomic)?;
    let command = command.context("values are followed in sources that clang compiles: set FORETRACE_CC=clang")?;
    let like = program(&command)?;
    let until = Instant::now() + timeout;
    let asks = Asks::default();
    let following = Following { sources, like: &like, findings: scratch, timeout, until, scratch, stop, asks, atomic };
    let (subject, plan, directory) = following.first(&like)?;
    let run = like.follow(&plan, &directory, following.limit())?;
    let followed = foretrace_symbolic::read(&run.records, run.steps)?;
    let mut ctp = foretrace_symbolic::model(&followed)?.ctp;
    label(&mut ctp, &followed, |place| line(&subject, &run.run.modules, place));
    foretrace_ctp::check::check(&ctp).context("the run has something that concurrent trace programs do not have")?;
    Ok(ctp)
}

fn label(ctp: &mut Ctp, run: &Followed, line: impl Fn(u64) -> Option<(String, u32)>) {
    for event in ctp.threads.iter_mut().flat_map(|thread| &mut thread.events) {
        let step = event.link.and_then(|link| run.steps.get(link.index as usize));
        let place = step.and_then(|step| line(step.place));
        event.label = place.map(|(file, line)| {
            let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("{name}:{line}").into()
        });
    }
}
