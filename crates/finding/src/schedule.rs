//! Orders of events to enforce.

use std::fmt;
use std::str::FromStr;

use foretrace_event::schedule::MOST_DELAY_POINTS;
use foretrace_event::{EventId, ThreadId};

/// One step: this event takes place now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The event.
    pub event: EventId,
    /// A try or timed operation that succeeded in the recorded run fails here.
    pub fails: bool,
}

/// A delay point: a thread that has no steps left waits there until no other thread can go on.
///
/// The value that a plain access reads may decide what the program does next, and steps do not order plain accesses. At
/// a delay point the thread sees what all the others have written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DelayPoint {
    file: String,
    address: u64,
    after: u32,
}

impl DelayPoint {
    /// A delay point at an address of a file, which is named without its directory.
    pub fn new(file: &str, address: u64) -> Self {
        Self { file: file.replace(char::is_whitespace, "_"), address, after: 0 }
    }

    /// The same point, passed freely this often before it delays.
    #[must_use]
    pub fn after(self, rounds: u32) -> Self {
        Self { after: rounds, ..self }
    }

    /// Is it the same place, however often it is passed freely?
    pub fn is_at(&self, other: &Self) -> bool {
        (&self.file, self.address) == (&other.file, other.address)
    }

    /// How often it is passed freely.
    pub fn rounds(&self) -> u32 {
        self.after
    }

    /// The file's name, with `_` for blanks.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The return address of the access's hook, in the file.
    pub fn address(&self) -> u64 {
        self.address
    }
}

/// A legal prefix of a reordering: the steps of each thread are its first events, in their order, with none left out.
/// It also lists the delay points for threads that have taken all their steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Schedule {
    steps: Vec<Step>,
    delays: Vec<DelayPoint>,
}

impl Schedule {
    /// The schedule of these steps.
    pub fn new(steps: Vec<Step>) -> Self {
        Self { steps, delays: Vec::new() }
    }

    /// The same steps with these delay points. If threads wait at several points, those at the first one in the list go
    /// first.
    #[must_use]
    pub fn with_delays(self, delays: Vec<DelayPoint>) -> Self {
        Self { delays, ..self }
    }

    /// The delay points.
    pub fn delays(&self) -> &[DelayPoint] {
        &self.delays
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
        for DelayPoint { file, address, after } in &self.delays {
            write!(f, "{separator}delay:{file}+{address:#x}")?;
            if *after > 0 {
                write!(f, "/{after}")?;
            }
            separator = " ";
        }
        Ok(())
    }
}

/// An error in a schedule's text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScheduleTextError {
    /// A part does not have the required form.
    #[error(
        "part {run} of the schedule, `{text}`, is not valid: write THREAD:COUNT, as in `t0:3`, with `!` if its last event \
         fails, or a delay point delay:FILE+ADDRESS, as in `delay:prog+0x1234`, with /COUNT if it is passed freely COUNT times"
    )]
    Form {
        /// The number of the run, from 1.
        run: usize,
        /// The offending text.
        text: String,
    },
    /// A thread is to take more steps than it has events.
    #[error("the schedule has more events of {0} than the recording does")]
    TooMany(ThreadId),
}

/// A schedule as text, for any recording. It is untrusted: its counts may exceed the events of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleText {
    runs: Vec<Run>,
    delays: Vec<DelayPoint>,
}

/// Events that one thread takes in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    thread: ThreadId,
    count: u32,
    fails: bool,
}

impl ScheduleText {
    /// Are there no runs?
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The schedule in a recording whose threads have this many events each.
    ///
    /// # Errors
    /// If it contains more events of a thread than there are.
    pub fn of(self, events: impl Fn(ThreadId) -> u32) -> Result<Schedule, ScheduleTextError> {
        let mut done: Vec<u32> = Vec::new();
        let mut steps = Vec::new();
        for Run { thread, count, fails } in self.runs {
            done.resize(done.len().max(thread.index() + 1), 0);
            let next = &mut done[thread.index()];
            let end = next.checked_add(count).filter(|end| *end <= events(thread));
            let end = end.ok_or(ScheduleTextError::TooMany(thread))?;
            let last = |index| fails && index + 1 == end;
            steps.extend((*next..end).map(|index| Step { event: EventId { thread, index }, fails: last(index) }));
            *next = end;
        }
        Ok(Schedule { steps, delays: self.delays })
    }
}

impl FromStr for ScheduleText {
    type Err = ScheduleTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut runs, mut delays) = (Vec::new(), Vec::new());
        for (index, word) in text.split_whitespace().enumerate() {
            let error = || ScheduleTextError::Form { run: index + 1, text: word.to_owned() };
            // Schedules of earlier releases spell a delay point as `late:`.
            match word.strip_prefix("delay:").or_else(|| word.strip_prefix("late:")) {
                Some(place) => {
                    delays.push(parse_delay(place).filter(|_| delays.len() < MOST_DELAY_POINTS).ok_or_else(error)?)
                }
                None => runs.push(parse_run(word).ok_or_else(error)?),
            }
        }
        Ok(Self { runs, delays })
    }
}

/// More threads than any run has had: a typing error must not allocate memory for them.
const MAX_THREAD: u32 = 1 << 20;

fn parse_run(word: &str) -> Option<Run> {
    let (thread, count) = word.strip_prefix('t')?.split_once(':')?;
    let (count, fails) = count.strip_suffix('!').map_or((count, false), |count| (count, true));
    let thread: u32 = thread.parse().ok().filter(|&thread| thread < MAX_THREAD)?;
    let count: u32 = count.parse().ok().filter(|&count| count > 0)?;
    Some(Run { thread: ThreadId(thread), count, fails })
}

fn parse_delay(place: &str) -> Option<DelayPoint> {
    let (file, rest) = place.rsplit_once("+0x")?;
    let (address, after) =
        rest.split_once('/').map_or((rest, Some(0)), |(address, after)| (address, after.parse().ok()));
    let address = u64::from_str_radix(address, 16).ok()?;
    (!file.is_empty()).then_some(DelayPoint::new(file, address).after(after?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_round() {
        for text in ["", "t0:1", "t0:3 t2:1! t2:4 t0:9", "t0:1 delay:a+b+0x1f delay:prog+0x0/3"] {
            assert_eq!(text.parse::<ScheduleText>().unwrap().of(|_| 12).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_old_spelling_of_delay_points_is_read() {
        let schedule = "t0:1 late:prog+0x1f/2".parse::<ScheduleText>().unwrap().of(|_| 12).unwrap();
        assert_eq!(schedule.to_string(), "t0:1 delay:prog+0x1f/2");
    }

    #[test]
    fn bad_text_is_named() {
        let nine = "delay:a+0x1 ".repeat(MOST_DELAY_POINTS) + "delay:b+0x2";
        for text in [
            "t0:0",
            "0:1",
            "t:1",
            "t0",
            "t0:x",
            "t0:1 t99999999:1",
            "delay:prog",
            "delay:+0x1",
            "t0:1 delay:a+0x1/b",
            &nine,
        ] {
            let Err(ScheduleTextError::Form { text: named, .. }) = text.parse::<ScheduleText>() else {
                panic!("{text} is taken");
            };
            assert!(text.ends_with(&named), "{text}: {named}");
        }
    }

    #[test]
    fn more_than_there_is_takes_no_memory() {
        for text in ["t0:4294967295", "t0:3 t1:1", "t0:2 t0:2", "t1048575:4000000000"] {
            let events = |thread: ThreadId| if thread.0 == 0 { 3 } else { 0 };
            let error = text.parse::<ScheduleText>().unwrap().of(events).unwrap_err();
            assert!(matches!(error, ScheduleTextError::TooMany(_)), "{text}: {error}");
        }
    }
}
