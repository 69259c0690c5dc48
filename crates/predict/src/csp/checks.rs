//! The composition and the assertions.

use super::Script;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

impl Script<'_> {
    pub(super) fn write_program(&mut self, out: &mut dyn Write, threads: usize) -> io::Result<()> {
        let all: Vec<String> = (0..threads).map(|thread| format!("THREAD_{thread}")).collect();
        writeln!(out, "\nINTER = ({}) ; endthreads -> SKIP", all.join(" ||| "))?;
        let (waits, others): (Vec<String>, Vec<String>) =
            self.starts().into_iter().partition(|name| name.starts_with("WAIT_"));
        let signals: Vec<&str> =
            ["signal", "broadcast"].into_iter().filter(|name| self.channels.contains_key(name)).collect();
        // The waits of one instance share its signal.
        let together = (!waits.is_empty()).then(|| self.conditions(&waits, &signals));
        let parts: Vec<String> = others.into_iter().chain(together).collect();
        let sync = if parts.is_empty() { "STOP".to_owned() } else { parts.join(" ||| ") };
        writeln!(out, "SYNC = {sync}")?;
        writeln!(out, "sync_set = {}", self.sync_set())?;
        writeln!(out, "PROGRAM = INTER [| sync_set |] SYNC\n")
    }

    /// The processes of the instances: those of one instance synchronise on its signal, those of different ones are
    /// independent.
    fn conditions(&self, waits: &[String], signals: &[&str]) -> String {
        let mut by_signal: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for wait in waits {
            let body = &self.objects.processes.iter().find(|(name, _)| name == wait).expect("it was just listed").1;
            let is_signal = |word: &&str| signals.iter().any(|channel| word.starts_with(&format!("{channel}.")));
            let signal = body.split_whitespace().find(is_signal).unwrap_or_default();
            by_signal.entry(signal.to_owned()).or_default().push(wait);
        }
        let group =
            |(signal, waits): (&String, &Vec<&str>)| format!("({})", waits.join(&format!(" [| {{{signal}}} |] ")));
        by_signal.iter().map(group).collect::<Vec<_>>().join(" ||| ")
    }

    /// The initial process of each object.
    fn starts(&self) -> Vec<String> {
        let mut starts: Vec<String> = Vec::new();
        for (name, _) in &self.objects.processes {
            let stem = name.split('(').next().unwrap_or(name);
            let start = match stem {
                stem if stem.starts_with("MUTEX_") => format!("{stem}(0)"),
                stem if stem.starts_with("BARRIER_") => format!("{}(0)", stem.replace("BARRIER_D", "BARRIER_U")),
                stem if stem.starts_with("SEMAPHORE_") => {
                    let number: usize = stem["SEMAPHORE_".len()..].parse().expect("named by a number");
                    format!("{stem}({})", self.program.counters[number].initial)
                }
                stem => stem.to_owned(),
            };
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }

    /// The events that the objects' processes take part in. Signals that wake no thread and ends that no thread waits
    /// for are independent, as in the thesis.
    fn sync_set(&self) -> String {
        let mut events: BTreeSet<String> = BTreeSet::new();
        for (_, body) in &self.objects.processes {
            let is_event = |word: &&str| word.contains('.') && !word.contains('(');
            events.extend(body.split_whitespace().filter(is_event).map(str::to_owned));
        }
        let mut text = String::from("{");
        for (index, event) in events.iter().enumerate() {
            let separator = match index {
                0 => "",
                index if index % 8 == 0 => ",\n    ",
                _ => ", ",
            };
            write!(text, "{separator}{event}").expect("a string takes all that is written to it");
        }
        text + "}"
    }

    pub(super) fn write_checks(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "channel live\nLIVE = live -> LIVE")?;
        let reduce = ":[partial order reduce [precise]]";
        writeln!(out, "assert LIVE [F= ((PROGRAM [| {{endthreads}} |> SKIP) \\ Events) ; LIVE {reduce}\n")?;
        if self.objects.intervals.is_empty() {
            return Ok(());
        }
        let threads = self.trace.threads().len() - 1;
        writeln!(out, "channel race\nthreads = {{0..{threads}}}")?;
        // Two accesses that may be next at once may come in either order, so one order of each pair is enough.
        writeln!(out, "THEN(t1, k, c) = c?t2:diff(threads, {{t1}})!k -> race -> SKIP")?;
        writeln!(out, "RACE_ERR(k) = read?t1!k -> (THEN(t1, k, write) [] THEN(t1, k, awrite))")?;
        writeln!(out, "    [] write?t1!k -> (THEN(t1, k, write) [] THEN(t1, k, aread) [] THEN(t1, k, awrite))")?;
        writeln!(out, "RACE(k, events) = RACE_ERR(k) /\\ ([] z:events @ z -> RACE(k, events))")?;
        let touches = ["read", "write", "aread", "awrite"].map(|channel| format!("{{{channel}.t.k | t <- threads}}"));
        let touches = touches.join(", ");
        writeln!(out, "events(k) = Union({{{touches}, sync_set}})")?;
        for k in &self.objects.intervals {
            writeln!(out, "assert STOP [T= (PROGRAM [| events({k}) |] RACE({k}, events({k}))) |\\ {{race}} {reduce}")?;
        }
        Ok(())
    }
}
