//! Progress of work that has taken a second, on a terminal.

use foretrace_predict::Watch;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much is said while the work goes on.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct View {
    /// Say nothing but the report: no progress, no announcements
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say in a line each what is being done, and what is found, as it happens
    #[arg(short, long)]
    pub verbose: bool,
}

/// A line on the terminal. Nothing is shown where there is none.
pub struct Bar {
    bar: ProgressBar,
    _shown: Option<Later>,
    verbose: bool,
    found: AtomicUsize,
    began: Instant,
}

impl Bar {
    /// A hidden one; it appears after a second, unless `quiet`.
    pub fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg} {pos}/{len} [{elapsed}]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(200));
        let shown = bar.clone();
        let _shown = (!quiet).then(|| Later::new(move || shown.set_draw_target(ProgressDrawTarget::stderr())));
        Self { bar, _shown, verbose: false, found: AtomicUsize::new(0), began: Instant::now() }
    }

    /// One for a check that ends at this moment: phases, failures as they come, and how much time is left.
    pub fn of_check(view: View, until: Instant) -> Self {
        let bar = Self { verbose: view.verbose, ..Self::new(view.quiet) };
        let left = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let left = until.saturating_duration_since(Instant::now());
            let _ = write!(out, "{}", HumanDuration(left));
        };
        let style =
            ProgressStyle::with_template("{spinner} {msg} {pos}/{len} {prefix}[{elapsed}, at most {left} left]");
        bar.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("left", left));
        bar
    }

    fn say(&self, line: &str) {
        if self.verbose {
            let after = self.began.elapsed();
            self.bar.suspend(|| crate::output::say!("[{:.1} s] {line}", after.as_secs_f64()));
        }
    }

    /// The work is done; the line is gone.
    pub fn finish(self) {
        drop(self._shown);
        self.bar.finish_and_clear();
    }
}

impl Watch for Bar {
    fn phase(&self, name: &'static str, steps: usize) {
        self.bar.set_message(name);
        self.bar.set_length(steps as u64);
        self.bar.set_position(0);
        let of = if steps > 0 { format!(": {steps}") } else { String::new() };
        self.say(&format!("{name}{of}"));
    }

    fn step(&self) {
        self.bar.inc(1);
    }

    fn found(&self, rule: &'static str) {
        let count = self.found.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.set_prefix(format!("{count} failed "));
        self.say(&format!("a replay failed: {rule}"));
    }
}

/// How far an exploration is.
pub struct Progress {
    /// Executions so far.
    pub executions: u64,
    /// The time they took.
    pub time: Duration,
    /// Steps of the last one.
    pub steps: usize,
}

/// A line about an exploration, which has no known end. It appears after a second, on a terminal.
pub struct Line(Bar);

impl Line {
    /// A hidden one.
    pub fn new(view: View) -> Self {
        let bar = Bar { verbose: view.verbose, ..Bar::new(view.quiet) };
        bar.bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Self(bar)
    }

    /// Shows how far it is, now and then.
    pub fn show(&self, progress: &Progress) {
        const EVERY: u64 = 64;
        let Progress { executions, time, steps } = progress;
        if executions.is_multiple_of(EVERY) {
            let rate = *executions as f64 / time.as_secs_f64().max(0.001);
            self.0.bar.set_message(format!("exploring: {executions} orders, {rate:.0} a second, {steps} steps each"));
        }
    }

    /// Says that an order failed in a way that is new.
    pub fn found(&self, execution: u64, what: &str) {
        self.0.say(&format!("order {execution} {what}"));
    }

    /// Says that the search begins again, with accesses to memory that threads were seen to race for as steps.
    pub fn begins_again(&self, raced: usize) {
        let why = if raced > 0 { ": accesses to the memory that raced are steps now" } else { "" };
        self.0.say(&format!("the search begins again{why}"));
    }

    /// The work is done; the line is gone.
    pub fn finish(self) {
        self.0.finish();
    }
}

/// An action that runs after a second on a terminal, unless this value is dropped before.
pub struct Later {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Later {
    /// Schedules an action.
    pub fn new(then: impl FnOnce() + Send + 'static) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { done: None, thread: None };
        }
        let (done, wait) = channel();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                then();
            }
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
