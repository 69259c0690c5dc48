//! A process with a time limit.

use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::spawn::spawn;
use crate::standstill::{Stillness, Watch};
use foretrace_run::{CutShort, Ended};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// How long a process may run. Time in which it waits for a processor is not counted: on a busy machine a slow program
/// is not stuck.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// The time limit.
    pub time: Duration,
    /// A fixed deadline, whatever the process waited for.
    pub until: Option<Instant>,
    /// The longest time after the process has done what it was run for.
    pub afterwards: Option<Duration>,
    /// Set to stop the process: Ctrl-C.
    pub stop: Option<&'static AtomicBool>,
    /// Whether to stop it when none of its threads can ever go on.
    pub standstill: bool,
    /// How long it may wait for input from outside that does not come.
    pub outside: Option<Duration>,
}

impl TimeLimit {
    /// Has the user asked to stop?
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

impl From<Duration> for TimeLimit {
    fn from(time: Duration) -> Self {
        Self { time, until: None, afterwards: None, stop: None, standstill: false, outside: None }
    }
}

/// Runs a command and kills it when its time is up or when the calling thread ends. If it leads a process group, the rest of
/// the group is killed when it ends.
///
/// # Errors
/// If the command cannot be run.
pub fn run_limited(command: &mut Command, limit: impl Into<TimeLimit>) -> io::Result<Ended> {
    run_watched(command, limit, &|| false)
}

/// The same; `is_done`, which is called from time to time, returns whether the process has done what it was run for.
///
/// # Errors
/// If the command cannot be run.
pub fn run_watched(
    command: &mut Command,
    limit: impl Into<TimeLimit>,
    is_done: &dyn Fn() -> bool,
) -> io::Result<Ended> {
    run_beside(command, limit, is_done, None)
}

/// The same, with a client beside it.
///
/// # Errors
/// If the command or the client cannot be run.
pub fn run_beside(
    command: &mut Command,
    limit: impl Into<TimeLimit>,
    is_done: &dyn Fn() -> bool,
    client: Option<&str>,
) -> io::Result<Ended> {
    let begin = Instant::now();
    let limit = limit.into();
    let mut child = spawn(command)?;
    let cut_short = ends_within(&child, &limit, is_done, Client::new(client))?;
    // The process has not been waited for yet, so its id is still the id of its group, if it leads one. Its forked
    // children are killed even if it has ended itself: a replay leaves nothing behind.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    if cut_short.is_some() {
        child.kill()?;
    }
    let status = child.wait()?;
    Ok(Ended { process: child.id(), status, cut_short, time: begin.elapsed() })
}

/// A signal may reach a thread other than the waiting one, so the waiting thread checks from time to time.
const GLANCE: Duration = Duration::from_millis(50);
/// With a client, which is started meanwhile, or if the process may wait for input that does not come, it checks more
/// often.
const SHORT_GLANCE: Duration = Duration::from_millis(5);
/// A look at the process may take this part of the time.
const LOOK_SHARE: u32 = 20;
/// How long threads that wait for each other must not have moved.
const STUCK: Duration = Duration::from_millis(250);
/// How long a process waits for a connection that nobody will make.
const UNCONNECTED: Duration = Duration::from_millis(20);
/// How long a process whose client still runs may wait for it, at the least.
const FOR_CLIENT: Duration = Duration::from_secs(2);

/// Why a process that stands still is stopped.
fn hopeless(limit: &TimeLimit, client_runs: bool, (still, since): (Stillness, Duration)) -> Option<CutShort> {
    let patience = match still {
        Stillness::Stuck if limit.standstill => STUCK,
        Stillness::Stuck => return None,
        Stillness::Input | Stillness::Connection if client_runs => limit.outside?.max(FOR_CLIENT),
        Stillness::Input => limit.outside?,
        Stillness::Connection => limit.outside?.min(UNCONNECTED),
    };
    let why = if still == Stillness::Stuck { CutShort::Stuck } else { CutShort::Outside };
    (since >= patience).then_some(why)
}

/// How long the process has waited for a processor, as the kernel reports for each thread; bounded, so that every
/// process ends.
fn kept_waiting(child: &Child, limit: &TimeLimit) -> Duration {
    waited_for_processor(child.id()).min(limit.time * MOST_WAITING)
}

/// The longest time that a thread of this process has been ready to run without a processor.
pub fn waited_for_processor(process: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let waited = |statistics: String| statistics.split(' ').nth(1)?.parse().ok();
    let of_thread = |thread: std::fs::DirEntry| waited(std::fs::read_to_string(thread.path().join("schedstat")).ok()?);
    Duration::from_nanos(threads.filter_map(of_thread).max().unwrap_or(0))
}

/// The bound on waiting for a processor, as a multiple of the time limit.
const MOST_WAITING: u32 = 5;

/// Waits for its end; returns why it must be killed, if so.
fn ends_within(
    child: &Child,
    limit: &TimeLimit,
    is_done: &dyn Fn() -> bool,
    mut client: Client<'_>,
) -> io::Result<Option<CutShort>> {
    let descriptor = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let begin = Instant::now();
    let mut watch = Watch::new(child.id());
    let mut until = limit.until;
    let mut afterwards = limit.afterwards;
    let mut over = |client: &Client<'_>| {
        let done = is_done();
        if let Some(rest) = afterwards.take_if(|_| done) {
            let end = Instant::now() + rest;
            until = Some(until.map_or(end, |until| until.min(end)));
        }
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        let is_slow = || begin.elapsed() >= limit.time && begin.elapsed() >= limit.time + kept_waiting(child, limit);
        let late = || is_over || is_slow();
        let still = if limit.standstill || limit.outside.is_some() { watch.look() } else { None };
        limit
            .is_stopped()
            .then_some(CutShort::Stopped)
            .or(late().then_some(CutShort::TimeUp))
            .or(client.is_over().then_some(CutShort::Served))
            .or(still.and_then(|still| hopeless(limit, client.is_busy(), still)))
    };
    let mut looked = Duration::ZERO;
    loop {
        let often = client.is_busy() || limit.outside.is_some();
        let glance = if often { (looked * LOOK_SHARE).clamp(SHORT_GLANCE, GLANCE) } else { GLANCE };
        let left = limit.time.saturating_sub(begin.elapsed()).min(glance);
        let left = if left.is_zero() { glance } else { left };
        let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&left)) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => {}
            Ok(_) => return Ok(None),
        }
        let before = Instant::now();
        client.look(child.id())?;
        if let Some(why) = over(&client) {
            return Ok(Some(why));
        }
        looked = before.elapsed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn what_a_process_has_forked_ends_with_it() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("child");
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 60 & echo $! > \"$0\""]).arg(&file).process_group(0);
        let ended = run_limited(&mut shell, Duration::from_secs(60)).unwrap();
        assert!(ended.status.success() && ended.cut_short.is_none());
        let child = std::fs::read_to_string(&file).unwrap();
        // The kernel takes a moment to end a process.
        let is_there = || {
            let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let begin = Instant::now();
        while is_there() {
            assert!(begin.elapsed() < Duration::from_secs(30), "it is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_process_that_waits_for_input_is_stopped_after_its_patience() {
        let waiting = |outside| {
            let limit = TimeLimit { outside, ..Duration::from_millis(700).into() };
            let mut shell = Command::new("sh");
            run_limited(shell.args(["-c", "read line"]).stdin(std::process::Stdio::piped()), limit).unwrap()
        };
        assert_eq!(waiting(Some(Duration::from_millis(30))).cut_short, Some(CutShort::Outside));
        assert_eq!(waiting(None).cut_short, Some(CutShort::TimeUp));
        let limit = TimeLimit { outside: Some(Duration::from_millis(30)), ..Duration::from_secs(60).into() };
        let ended = run_limited(Command::new("sh").args(["-c", "sleep 0.3; echo | cat"]), limit).unwrap();
        assert_eq!(ended.cut_short, None, "a child is no input from outside");
    }

    #[test]
    fn a_process_is_killed_when_its_time_is_up() {
        let ended = run_limited(Command::new("sleep").arg("20"), Duration::from_millis(20)).unwrap();
        assert!(
            ended.cut_short == Some(CutShort::TimeUp)
                && !ended.status.success()
                && ended.time < Duration::from_secs(10)
        );
        static STOP: AtomicBool = AtomicBool::new(true);
        let limit = TimeLimit { stop: Some(&STOP), ..Duration::from_secs(20).into() };
        let ended = run_limited(Command::new("sleep").arg("20"), limit).unwrap();
        assert!(ended.cut_short == Some(CutShort::Stopped) && ended.time < Duration::from_secs(10));
        let limit = TimeLimit { until: Some(Instant::now()), ..Duration::from_secs(20).into() };
        let ended = run_limited(Command::new("sleep").arg("20"), limit).unwrap();
        assert!(ended.cut_short == Some(CutShort::TimeUp) && ended.time < Duration::from_secs(10));
        let limit = TimeLimit { afterwards: Some(Duration::ZERO), ..Duration::from_secs(20).into() };
        let ended = run_watched(Command::new("sleep").arg("20"), limit, &|| true).unwrap();
        assert!(ended.cut_short == Some(CutShort::TimeUp) && ended.time < Duration::from_secs(10));
        let ended = run_limited(&mut Command::new("true"), Duration::from_secs(10)).unwrap();
        assert!(ended.cut_short.is_none() && ended.status.success());
    }
}
