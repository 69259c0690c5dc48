//! Orders of events to enforce.

use std::fmt;
use std::str::FromStr;

use foretrace_event::{EventId, ThreadId};

/// One step: this event takes place now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The event.
    pub event: EventId,
    /// A try or timed operation that succeeded in the recorded run fails here.
    pub fails: bool,
}

/// A legal prefix of a reordering: the steps of each thread are its first events, in their order, none left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Schedule {
    steps: Vec<Step>,
}

impl Schedule {
    /// Of these steps.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps }
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The events, in order.
    pub fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.steps.iter().map(|step| step.event)
    }

    /// How often the running thread changes.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].event.thread != pair[1].event.thread).count()
    }
}

impl FromIterator<EventId> for Schedule {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Self {
        Self::new(events.into_iter().map(|event| Step { event, fails: false }).collect())
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for run in self.steps.chunk_by(|one, next| one.event.thread == next.event.thread && !one.fails) {
            let last = run.last().expect("chunks are not empty");
            write!(f, "{separator}{}:{}{}", last.event.thread, run.len(), if last.fails { "!" } else { "" })?;
            separator = " ";
        }
        Ok(())
    }
}

/// What is wrong with a schedule's text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("run {run} of the schedule is `{text}`; write THREAD:COUNT, as in `t0:3`, with `!` if its last event fails")]
pub struct ParseScheduleError {
    /// Which run, from 1.
    pub run: usize,
    /// What stands there.
    pub text: String,
}

impl FromStr for Schedule {
    type Err = ParseScheduleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut done: Vec<u32> = Vec::new();
        let mut steps = Vec::new();
        for (index, word) in text.split_whitespace().enumerate() {
            let error = || ParseScheduleError { run: index + 1, text: word.to_owned() };
            let (thread, count, fails) = parse_run(word).ok_or_else(error)?;
            done.resize(done.len().max(thread.index() + 1), 0);
            let next = &mut done[thread.index()];
            let end = next.checked_add(count).ok_or_else(error)?;
            steps.extend((*next..end).map(|index| Step { event: EventId { thread, index }, fails: false }));
            *next = end;
            if fails {
                steps.last_mut().ok_or_else(error)?.fails = true;
            }
        }
        Ok(Self { steps })
    }
}

/// More threads than any run has had; keeps a typing error from asking for memory.
const MAX_THREAD: u32 = 1 << 20;

fn parse_run(word: &str) -> Option<(ThreadId, u32, bool)> {
    let (thread, count) = word.strip_prefix('t')?.split_once(':')?;
    let (count, fails) = count.strip_suffix('!').map_or((count, false), |count| (count, true));
    let thread: u32 = thread.parse().ok().filter(|&thread| thread < MAX_THREAD)?;
    let count: u32 = count.parse().ok().filter(|&count| count > 0)?;
    Some((ThreadId(thread), count, fails))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_round() {
        for text in ["", "t0:1", "t0:3 t2:1! t2:4 t0:9"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn bad_text_is_named() {
        for text in ["t0:0", "0:1", "t:1", "t0", "t0:x", "t0:1 t99999999:1"] {
            let error = text.parse::<Schedule>().unwrap_err();
            assert!(text.ends_with(&error.text), "{error}");
        }
    }
}
