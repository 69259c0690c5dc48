//! `--max-memory`: what the tool itself may take. A thread watches it while the tool reads and predicts, and sets a flag
//! that these check; work that was not done by then is left out, and the report says so.
//!
//! The limit is on resident memory, which is what is short when a machine runs out of it. Programs that are run are not
//! counted.

use crate::flags;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How much memory may be taken.
#[derive(clap::Args, Clone, Copy)]
pub struct Memory {
    /// Use at most this much memory (such as 500M or 2G) for reading and predicting; what does not fit is left out [default:
    /// half of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = flags::size)]
    max_memory: Option<u64>,
}

/// Why not everything was examined.
pub const SPENT: &str = "the memory (--max-memory) is used up";

static SPENT_FLAG: AtomicBool = AtomicBool::new(false);
/// How often the memory is measured.
const GLANCE: Duration = Duration::from_millis(20);

impl Memory {
    /// Watches the memory from now on. The flag is set once too much is taken.
    pub fn watch(self) -> &'static AtomicBool {
        static WATCHED: OnceLock<()> = OnceLock::new();
        let most = self.max_memory.or_else(|| free().map(|free| free / 2));
        if let Some(most) = most {
            WATCHED.get_or_init(|| {
                if !look(most) {
                    drop(std::thread::spawn(move || look_on(most)));
                }
            });
        }
        &SPENT_FLAG
    }
}

/// Has more been taken than is allowed?
pub fn is_spent() -> bool {
    SPENT_FLAG.load(Ordering::Relaxed)
}

/// An error of reading: if the memory was the reason, it says so.
pub fn explain(error: anyhow::Error) -> anyhow::Error {
    if is_spent() { error.context(format!("{SPENT}; nothing was checked")) } else { error }
}

fn look_on(most: u64) {
    while !look(most) {
        std::thread::sleep(GLANCE);
    }
}

/// Sets the flag if too much is taken.
fn look(most: u64) -> bool {
    let is_too_much = resident().is_some_and(|taken| taken > most);
    if is_too_much {
        SPENT_FLAG.store(true, Ordering::Relaxed);
    }
    is_too_much
}

/// The memory that this process has taken, in bytes.
fn resident() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The memory that is free, in bytes: on the machine, and in the group of processes that this one belongs to.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = text.and_then(|text| kilobytes(&text, "MemAvailable:"));
    machine.into_iter().chain(free_in_group()).min()
}

/// The number of bytes that stands behind a name in a file of the kernel's, in kilobytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// What a container leaves, as it sees its own control group.
fn free_in_group() -> Option<u64> {
    let number = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    Some(number("max")?.saturating_sub(number("current")?))
}

#[cfg(test)]
mod tests {
    use super::{free, kilobytes, resident};

    #[test]
    fn what_is_free() {
        assert_eq!(kilobytes("MemTotal: 9 kB\nMemAvailable:    3 kB\n", "MemAvailable:"), Some(3072));
        assert_eq!(kilobytes("MemTotal: 9 kB\n", "MemAvailable:"), None);
        assert!(free().is_some_and(|free| free > 0));
        assert!(resident().is_some_and(|taken| taken > 1 << 16));
    }
}
