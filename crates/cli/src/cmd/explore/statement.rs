//! What is said at the end: that all orders were run, or how far the search came.

use super::executors::Alone;
use super::hunt::Hunted;
use foretrace_explore::{End, Finished, PruningCounts};
use foretrace_replay::Copied;
use foretrace_report::Exploration;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The program had one thread only.
pub fn no_thread(status: ExitStatus) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with {code}"),
        (None, signal) => format!("it was killed by signal {}", signal.unwrap_or_default()),
    };
    format!("the program created no thread, so there is one order only: {how}")
}

/// A number with commas: 4,096.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn orders(count: u64) -> String {
    if count == 1 { "1 order".to_owned() } else { format!("{} orders", number(count)) }
}

/// The statement.
pub fn of(hunted: &Hunted) -> String {
    let count = hunted.round.classes.unwrap_or(hunted.executions);
    let none = if hunted.failures.is_empty() { ": no race, no deadlock, no failure" } else { "" };
    let rate = hunted.executions as f64 / hunted.time.as_secs_f64().max(0.001);
    if hunted.is_complete() && hunted.pruning.is_some() {
        let none = if hunted.failures.is_empty() { ": none of this input has a race or a deadlock" } else { "" };
        let none = if hunted.races_alone { none.replace(" or a deadlock", "") } else { none.to_owned() };
        return format!("{} explored, and the others pruned{none}", orders(count));
    }
    if hunted.is_complete() {
        return match count {
            1 => format!("this input has one order that matters, and it was run{none}"),
            _ => format!("all {} of this input explored{none}", orders(count)),
        };
    }
    let why = match hunted.finished {
        _ if hunted.interrupted => "interrupted",
        Finished::Spent => "the budget was spent",
        Finished::Stopped | Finished::Exhausted => "not every order could be run to its end",
    };
    let (ran, time) = (orders(hunted.executions), hunted.time);
    if let Some(within) = hunted.round.within.as_ref().filter(|_| hunted.finished == Finished::Exhausted) {
        return format!("all orders {within} explored{none}; there are more");
    }
    let about = hunted.round.estimate.filter(|estimate| *estimate > count as f64);
    let about = about.map_or_else(String::new, |estimate| self::about(estimate, rate));
    format!("{ran} explored in {time:.1?} ({rate:.0} a second), and there are more{about}: {why}")
}

/// About how many orders there are, and how long all of them would take.
fn about(estimate: f64, rate: f64) -> String {
    /// Beyond it, nobody waits for the end.
    const MOST: f64 = 1e12;
    if estimate >= MOST {
        return format!(", about 10^{:.0} in all", estimate.log10());
    }
    let (size, one) = (10_f64.powf(estimate.log10().floor() - 1.0).max(1.0), (estimate / rate).round() as u64);
    let rounded = (estimate / size).round() * size;
    format!(", about {} in all, which would take {}", number(rounded as u64), length(one))
}

/// A time in its largest unit.
fn length(seconds: u64) -> String {
    if seconds == 0 {
        return "less than a second".to_owned();
    }
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    let (unit, size) = units.into_iter().find(|(_, size)| seconds >= 2 * size).unwrap_or(("second", 1));
    let count = (seconds + size / 2) / size;
    format!("{} {unit}{}", number(count), if count == 1 { "" } else { "s" })
}

/// How far it came, in numbers.
pub fn numbers(hunted: &Hunted) -> Exploration {
    Exploration {
        executions: hunted.executions,
        classes: hunted.round.classes,
        within: hunted.round.within.clone(),
        milliseconds: u64::try_from(hunted.time.as_millis()).unwrap_or(u64::MAX),
        complete: hunted.is_complete(),
    }
}

/// What the reader should know besides.
pub fn notes(hunted: &Hunted) -> Vec<String> {
    let mut notes = Vec::new();
    let plain = hunted.ends.keys().find_map(|end| if let End::Completed { code } = end { Some(*code) } else { None });
    for (end, count) in &hunted.ends {
        let verb = if *count == 1 { "was" } else { "were" };
        let times = |what: &str| format!("{} {what}", orders(*count));
        match end {
            End::Completed { code } if Some(*code) != plain => {
                let plain = plain.unwrap_or_default();
                notes.push(times(&format!(
                    "ended with code {code}, others with {plain}: the exit code depends on the order"
                )));
            }
            End::TimedOut => notes.push(times(&format!("took too long and {verb} ended; --timeout gives more time"))),
            End::AwaitsSignal => notes.push(times(&format!(
                "came to a point where only a signal or a cancellation could let a thread go on, and {verb} ended"
            ))),
            End::TooLarge => notes.push(times(&format!("had too many steps or threads and {verb} ended"))),
            End::AllAsleep if !hunted.round.may_repeat => {
                notes.push(times(&format!("{verb} left without an end; please report this")))
            }
            _ => {}
        }
    }
    let diverged: u64 =
        hunted.ends.iter().filter(|(end, _)| matches!(end, End::Diverged { .. })).map(|(_, count)| count).sum();
    if diverged > 0 {
        notes.push(format!(
            "{} went another way than the same decisions before: the program depends on more than its input and the order of its \
             threads (a clock, random numbers, a file, another process)",
            orders(diverged)
        ));
    }
    if hunted.notes.waits_for_outside() {
        notes.push("a thread waited for input from outside the program".to_owned());
    }
    if hunted.notes.is_cut_at_exit() {
        notes.push(
            "the process ended while threads went on without end: what they do later was not explored".to_owned(),
        );
    }
    if hunted.notes.leaves_loops() {
        notes.push(
            "a loop that waits for a change ended by itself after some rounds: orders in which it ends earlier were not explored"
                .to_owned(),
        );
    }
    if hunted.notes.writes_files() {
        notes.push("the program writes files: every execution wrote them again".to_owned());
    }
    if hunted.notes.cancels() {
        notes.push("the program cancels threads: orders in which one ends where it does not wait, such as in `write`, were not explored"
                .to_owned());
    }
    if hunted.notes.forks() {
        notes.push("the program forks: what its children do is not explored".to_owned());
    }
    if let Some(why) = hunted.forked {
        notes.push(format!("each execution was a fork of the program, which is slower, because {why}"));
    }
    if hunted.differs {
        notes.push(
            "each execution was a fork of the program, which is slower, because a failure depends on addresses"
                .to_owned(),
        );
    }
    match hunted.alone {
        Some(Alone::WritesFiles) => notes.push(
            "one execution was run at a time, because the program writes files; --jobs N runs several".to_owned(),
        ),
        Some(Alone::StartsDifferently) => notes.push(
            "one execution was run at a time, because the program did not start the same way a second time".to_owned(),
        ),
        None => {}
    }
    if let Some(PruningCounts { checks, clean, skipped }) = hunted.pruning {
        let (checks, clean, skipped) = (number(checks), number(clean), number(skipped));
        notes.push(format!(
            "pruned: {checks} checks of states, {clean} of them found nothing to look for, {skipped} reversals skipped, {} \
             steps{}; failed assertions and crashes in pruned orders were not looked for",
            number(hunted.steps),
            hunted.first_failure.map_or_else(String::new, |at| format!(", the first failure in order {}", number(at)))
        ));
    }
    if hunted.has_no_table {
        notes.push("pruning is off: the program was not compiled with clang and FORETRACE_BRANCHES=1".to_owned());
    }
    if hunted.visible > 0 {
        let places = if hunted.visible == 1 { "1 place".to_owned() } else { format!("{} places", hunted.visible) };
        notes.push(format!("racing memory at {places} was explored access by access"));
    }
    notes
}

/// What the program was given to read, if that may not be all.
pub fn input(copied: Copied) -> Option<String> {
    let given = |bytes: u64| match bytes {
        0 => "the program was given an empty input".to_owned(),
        _ => format!("the program was given its first {} bytes", number(bytes)),
    };
    match copied {
        Copied::Whole => None,
        Copied::Paused(bytes) => {
            Some(format!("standard input is a pipe that stayed open without sending more: {}", given(bytes)))
        }
        Copied::TooLarge(bytes) => Some(format!("standard input is too large: {}", given(bytes))),
    }
}

#[cfg(test)]
mod tests {
    use super::{about, number};

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 4096, 1_234_567].map(number), ["0", "999", "4,096", "1,234,567"]);
    }

    #[test]
    fn an_estimate_has_two_digits_and_a_time() {
        assert_eq!(about(291_956.0, 5194.0), ", about 290,000 in all, which would take 56 seconds");
        assert_eq!(about(7.0, 1000.0), ", about 7 in all, which would take less than a second");
        assert_eq!(about(369_830_699.0, 4995.0), ", about 370,000,000 in all, which would take 21 hours");
        assert_eq!(about(2.0e19, 100.0), ", about 10^19 in all");
    }
}
