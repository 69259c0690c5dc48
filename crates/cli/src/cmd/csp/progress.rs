//! One line on the terminal that is rewritten a few times a second.

use foretrace_csp::budget::Progress;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often the line is written.
const INTERVAL: Duration = Duration::from_millis(250);
/// Characters of the assertion that are shown.
const SHOWN: usize = 40;

pub struct ProgressLine {
    shown: bool,
    title: String,
    started: Instant,
    /// When the line was last written, if it was.
    written: Mutex<Option<Instant>>,
}

impl ProgressLine {
    pub fn new(quiet: bool, assertion: String, number: usize, of: usize) -> Self {
        let mut text: String = assertion.chars().take(SHOWN).collect();
        if text.len() < assertion.len() {
            text.push_str("...");
        }
        ProgressLine {
            shown: !quiet && std::io::stderr().is_terminal(),
            title: format!("{number} of {of}: {text}"),
            started: Instant::now(),
            written: Mutex::new(None),
        }
    }

    pub fn show(&self, p: Progress) {
        if !self.shown {
            return;
        }
        let mut written = self.written.lock().expect("nobody panics while it prints");
        if written.unwrap_or(self.started).elapsed() < INTERVAL {
            return;
        }
        *written = Some(Instant::now());
        eprint!("\r\x1b[K{}", self.line(p));
    }

    fn line(&self, p: Progress) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = p.states as f64 / seconds.max(1e-9);
        format!(
            "{}: {seconds:.0} s, {} states, {} transitions, depth {}, {} MB, {rate:.0} states/s",
            self.title,
            p.states,
            p.transitions,
            p.depth,
            p.bytes >> 20
        )
    }

    pub fn clear(&self) {
        if self.written.lock().expect("nobody panics while it prints").is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_which_assertion_of_how_many() {
        let line = ProgressLine::new(true, "SPEC [T= ".repeat(20), 3, 7);
        let progress = Progress { states: 10, transitions: 20, depth: 2, bytes: 5 << 20 };
        let shown = line.line(progress);
        assert!(shown.starts_with("3 of 7: SPEC [T= SPEC [T= "), "{shown}");
        assert!(shown.contains("...: 0 s, 10 states, 20 transitions, depth 2, 5 MB, "), "{shown}");
    }
}
