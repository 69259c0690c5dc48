//! Progress of a prediction, once it has taken a second.

use foretrace_predict::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work that takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on the terminal.
pub(super) struct Bar {
    started: Instant,
    bar: ProgressBar,
    shown: Mutex<bool>,
    quiet: bool,
}

impl Bar {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg} {pos}/{len} [{elapsed}]");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { started: Instant::now(), bar, shown: Mutex::new(false), quiet }
    }

    pub(super) fn reading(&self) {
        self.phase("reading", 0);
    }

    fn show(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !*shown && !self.quiet && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            *shown = true;
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Bar {
    fn phase(&self, name: &'static str, steps: usize) {
        self.bar.set_message(name);
        self.bar.set_length(steps as u64);
        self.bar.set_position(0);
        self.show();
    }

    fn step(&self) {
        self.bar.inc(1);
        self.show();
    }
}
