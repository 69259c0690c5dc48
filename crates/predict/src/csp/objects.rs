//! The processes of the objects.

use super::Script;
use crate::model::{Mode, Op};
use foretrace_event::{Event, EventId};
use std::collections::BTreeMap;
use std::io::{self, Write};

impl Script<'_> {
    pub(super) fn write_sync(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        self.add_threads();
        self.add_locks();
        self.add_counters();
        self.add_barriers();
        self.add_conditions();
        for edge in 0..self.objects.edges {
            self.add(format!("EDGE_{edge}"), format!("give.{edge} -> take.{edge} -> STOP"));
        }
        for (name, body) in &self.objects.processes {
            writeln!(out, "{name} = {body}")?;
        }
        Ok(())
    }

    fn add(&mut self, name: String, body: String) {
        self.objects.processes.push((name, body));
    }

    fn users(&self, which: impl Fn(Event) -> bool) -> Vec<u32> {
        self.trace.threads().filter(|thread| self.trace.events(*thread).any(&which)).map(|thread| thread.0).collect()
    }

    fn add_threads(&mut self) {
        for thread in self.trace.threads() {
            if let Some(fork) = self.trace.fork_of(thread).filter(|_| self.trace.len(thread) > 0) {
                let (parent, child) = (fork.thread.0, thread.0);
                self.add(format!("FORK_{child}"), format!("fork.{parent}.{child} -> start.{child} -> STOP"));
            }
            for joiner in self.users(|event| event == Event::Join(thread)) {
                let child = thread.0;
                self.add(format!("JOIN_{child}"), format!("end.{child} -> join.{joiner}.{child} -> STOP"));
            }
        }
    }

    fn add_locks(&mut self) {
        for (lock, _) in self.trace.locks() {
            let takes = |mode: Mode| {
                let of = |&thread: &u32| {
                    let ops = self.program.chain(thread as usize).ops.iter();
                    ops.into_iter().any(
                        |op| matches!(op, Op::Acquire { lock: other, mode: how, .. } if *other == lock && *how == mode),
                    )
                };
                self.trace.threads().map(|thread| thread.0).filter(of).collect::<Vec<u32>>()
            };
            let (writers, readers) = (takes(Mode::Write), takes(Mode::Read));
            let m = lock.0;
            let alone = writers.iter().map(|t| format!("lock.{t}.{m} -> unlock.{t}.{m} -> MUTEX_{m}(0)"));
            let begin = readers.iter().map(|t| format!("rdlock.{t}.{m} -> MUTEX_{m}(1)"));
            let more = readers.iter().map(|t| format!("rdlock.{t}.{m} -> MUTEX_{m}(i+1)"));
            let fewer = readers.iter().map(|t| format!("unlock.{t}.{m} -> MUTEX_{m}(i-1)"));
            if writers.is_empty() && readers.is_empty() {
                continue;
            }
            let free: Vec<String> = alone.chain(begin).collect();
            self.objects.processes.push((format!("MUTEX_{m}(0)"), free.join("\n    [] ")));
            if !readers.is_empty() {
                let full = fewer.clone().map(|event| event.replace("(i-1)", &format!("({})", readers.len() - 1)));
                let (full, some): (Vec<String>, Vec<String>) = (full.collect(), more.chain(fewer).collect());
                self.objects.processes.push((format!("MUTEX_{m}({})", readers.len()), full.join("\n    [] ")));
                self.objects.processes.push((format!("MUTEX_{m}(i)"), some.join("\n    [] ")));
            }
        }
    }

    fn add_counters(&mut self) {
        let program = self.program;
        for (number, counter) in program.counters.iter().enumerate() {
            if counter.is_barrier() {
                continue;
            }
            let (mut ups, mut downs) = (Vec::new(), Vec::new());
            for thread in 0..program.threads() {
                let ops = || program.chain(thread).ops.iter();
                let is_up = |op: &Op| matches!(op, Op::Up { counter } | Op::UpFromZero { counter } if *counter as usize == number);
                let is_down = |op: &Op| matches!(op, Op::Down { counter, .. } if *counter as usize == number);
                ups.extend(ops().any(is_up).then(|| format!("sem_post.{thread}.{number} -> SEMAPHORE_{number}(i+1)")));
                downs.extend(
                    ops().any(is_down).then(|| format!("sem_wait.{thread}.{number} -> SEMAPHORE_{number}(i-1)")),
                );
            }
            let most = counter.most();
            let guard = |condition: String, list: &[String]| {
                list.iter().map(|event| format!("{condition} & {event}")).collect::<Vec<_>>()
            };
            let mut body = guard(format!("i < {most}"), &ups);
            body.extend(guard("i > 0".to_owned(), &downs));
            self.add(format!("SEMAPHORE_{number}(i)"), body.join("\n    [] "));
        }
    }

    fn add_barriers(&mut self) {
        for (barrier, info) in self.trace.barriers() {
            let users = self.users(|event| event == Event::BarrierEnter(barrier));
            let (b, count) = (barrier.0, info.count.max(1));
            let enter: Vec<String> =
                users.iter().map(|t| format!("barrier_enter.{t}.{b} -> BARRIER_U_{b}(i+1)")).collect();
            let exits = |process: &str, left: &str| {
                let exit = |t: &u32| format!("barrier_exit.{t}.{b} -> BARRIER_{process}_{b}({left})");
                self.users(|event| event == Event::BarrierExit(barrier)).iter().map(exit).collect::<Vec<_>>()
            };
            if users.is_empty() {
                continue;
            }
            let open = exits("D", &(count - 1).to_string());
            let leave = exits("D", "i-1");
            let stop = |list: Vec<String>| if list.is_empty() { "STOP".to_owned() } else { list.join("\n    [] ") };
            self.add(format!("BARRIER_U_{b}({count})"), stop(open));
            self.add(format!("BARRIER_U_{b}(i)"), stop(enter));
            self.add(format!("BARRIER_D_{b}(0)"), format!("BARRIER_U_{b}(0)"));
            self.add(format!("BARRIER_D_{b}(i)"), stop(leave));
        }
    }

    /// For each wait: either its signal comes after it has begun, and then it returns; or the signal comes before, and
    /// it never does.
    fn add_conditions(&mut self) {
        let mut gives: BTreeMap<u32, String> = BTreeMap::new();
        let mut waits = Vec::new();
        for thread in self.trace.threads() {
            for (index, event) in self.trace.events(thread).enumerate() {
                match event {
                    Event::Signal(instance) => {
                        drop(gives.insert(instance.0, format!("signal.{}.{}", thread.0, instance.0)))
                    }
                    Event::Broadcast(instance) => {
                        drop(gives.insert(instance.0, format!("broadcast.{}.{}", thread.0, instance.0)));
                    }
                    Event::Wait(instance, ..) => waits.push((EventId { thread, index: index as u32 }, instance.0)),
                    _ => {}
                }
            }
        }
        for (wait, instance) in waits {
            let Some(give) = gives.get(&instance) else { continue };
            let position = self.program.position(wait.thread.index(), wait.index) as usize;
            let t = wait.thread.0;
            let returns = format!("wait.{t}.{instance} -> STOP");
            let body = match self.program.chain(wait.thread.index()).ops[position] {
                Op::Wait { .. } => format!(
                    "begin_wait.{t}.{instance} -> {give} -> {returns}\n    [] {give} -> begin_wait.{t}.{instance} -> STOP"
                ),
                _ => format!("{give} -> {returns}"),
            };
            self.add(format!("WAIT_{t}_{}", wait.index), body);
        }
    }
}
