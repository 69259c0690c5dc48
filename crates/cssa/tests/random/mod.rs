//! Random programs that are the same everywhere, and all questions about them.

use foretrace_cssa::{Extent, Goal, goals};
use foretrace_ctp::{Action, Ctp, EventId};
use std::fmt::Write;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// A random program: a few lines for each thread, in a random order.
pub fn program(random: &mut Random) -> String {
    let mut text = "var x 1\nvar y 1 = 1\nlock m\nlock r recursive\nsem s = 1\ncond c\nbarrier b = 2\n".to_owned();
    let threads = 2 + random.below(2);
    let most = if threads == 2 { 5 } else { 3 };
    let mut lines: Vec<Vec<String>> = (1..=threads).map(|thread| body(random, thread, most)).collect();
    if random.below(4) == 0 {
        lines[0].insert(0, "fork t2".to_owned());
        lines[0].push("join t2".to_owned());
        if random.below(2) == 0 {
            lines[0].push("read z x".to_owned());
            lines[0].push("assert (ult z 2)".to_owned());
        }
    }
    let mut next = vec![0; lines.len()];
    (1..=threads).for_each(|thread| writeln!(text, "thread t{thread}").unwrap());
    while next.iter().zip(&lines).any(|(next, lines)| *next < lines.len()) {
        let thread = random.below(threads) as usize;
        if let Some(line) = lines[thread].get(next[thread]) {
            next[thread] += 1;
            writeln!(text, "t{} {line}", thread + 1).unwrap();
        }
    }
    text
}

/// A random program of additions to two variables: under a lock, in one step, and sometimes without either.
pub fn counters(random: &mut Random) -> String {
    let mut text = "var x 1 = 3\nvar y 1\nlock m\nlock n\n".to_owned();
    let threads = 2 + random.below(2);
    let kinds = [random.below(4), random.below(4)];
    for thread in 1..=threads {
        for number in 0..=random.below(5 - threads) {
            let var = random.below(2);
            let (name, read) = (["x", "y"][var as usize], format!("v{thread}{number}"));
            let add = format!("({} {read} {})", ["add", "sub"][random.below(2) as usize], random.below(3));
            let lines = match kinds[var as usize] {
                _ if random.below(4) == 0 => {
                    vec![format!("read {read} {name}"), format!("assert (ult {read} {})", 2 + random.below(4))]
                }
                0 => vec![format!("update {read} {name} {add}")],
                1 | 2 => [
                    "lock m".to_owned(),
                    format!("read {read} {name}"),
                    format!("write {name} {add}"),
                    "unlock m".to_owned(),
                ]
                .to_vec(),
                _ => vec![format!("read {read} {name}"), format!("write {name} {add}")],
            };
            lines.into_iter().for_each(|line| writeln!(text, "t{thread} {line}").unwrap());
        }
    }
    let known = threads + 1;
    (1..=threads).for_each(|t| writeln!(text, "t{known} join t{t}").unwrap());
    (1..=threads).for_each(|t| writeln!(text, "t0 fork t{t}").unwrap());
    writeln!(text, "t{known} read a x\nt{known} read b y\nt{known} assert (ne a b)\nt{known} assert (ult a 5)")
        .unwrap();
    text
}

fn body(random: &mut Random, thread: u64, most: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut names = vec!["1:8".to_owned()];
    for number in 0..1 + random.below(most) {
        block(random, &mut lines, &mut names, thread * 10 + number);
    }
    if random.below(6) == 0 {
        lines.push("barrier_enter b".to_owned());
        lines.push("barrier_exit b".to_owned());
        access(random, &mut lines, &mut names, thread * 10 + 9);
    }
    lines
}

fn block(random: &mut Random, lines: &mut Vec<String>, names: &mut Vec<String>, fresh: u64) {
    match random.below(14) {
        0 => around(random, lines, names, fresh, ["lock m", "unlock m"]),
        1 => around(random, lines, names, fresh, ["rdlock m", "unlock m"]),
        2 => around(random, lines, names, fresh, ["lock r", "unlock r"]),
        3 => around(random, lines, names, fresh, ["sem_wait s", "sem_post s"]),
        4 => lines.extend(["lock m", "wait c m", "fwait c m", "unlock m"].map(str::to_owned)),
        5 => lines.push(["signal c", "broadcast c"][random.below(2) as usize].to_owned()),
        6 => lines.push(["sem_post s", "sem_wait s", "lock m"][random.below(3) as usize].to_owned()),
        7 => {
            let value = value(random, names);
            lines.push(format!("if (ult {value} 2)"));
            let known = names.len();
            access(random, lines, names, fresh);
            // What one side reads has a value after both, but no name on the other side.
            let mut one = names.split_off(known);
            if random.below(2) == 0 {
                lines.push("else".to_owned());
                access(random, lines, names, fresh + 100);
            }
            lines.push("endif".to_owned());
            names.append(&mut one);
        }
        8 => {
            let value = value(random, names);
            let condition = format!("({} {value} {})", ["eq", "ult", "sle"][random.below(3) as usize], random.below(3));
            lines.push(format!("{} {condition}", ["assume", "assert"][random.below(2) as usize]));
        }
        9 => around(random, lines, names, fresh, ["begin", "end"]),
        _ => access(random, lines, names, fresh),
    }
}

fn around(random: &mut Random, lines: &mut Vec<String>, names: &mut Vec<String>, fresh: u64, pair: [&str; 2]) {
    lines.push(pair[0].to_owned());
    access(random, lines, names, fresh);
    if random.below(3) == 0 {
        access(random, lines, names, fresh + 200);
    }
    if random.below(12) > 0 {
        lines.push(pair[1].to_owned());
    }
}

fn value(random: &mut Random, names: &[String]) -> String {
    names[random.below(names.len() as u64) as usize].clone()
}

fn access(random: &mut Random, lines: &mut Vec<String>, names: &mut Vec<String>, fresh: u64) {
    let var = ["x", "y"][random.below(2) as usize];
    match random.below(5) {
        0 | 1 => {
            lines.push(format!("read v{fresh} {var}"));
            names.push(format!("v{fresh}"));
        }
        2 => lines.push(format!("update u{fresh} {var} if (ne u{fresh} {}) (add u{fresh} 1)", random.below(3))),
        _ => {
            let (a, b) = (value(random, names), value(random, names));
            let op = ["add", "sub", "mul", "xor", "udiv"][random.below(5) as usize];
            lines.push(format!("write {var} ({op} {a} {b})"));
        }
    }
}

/// Branches that go the other way; some of them after everything that another thread does.
fn branches(ctp: &Ctp) -> Vec<Goal> {
    let assumes = ctp.events().filter(|(_, event)| matches!(event.action, Action::Assume(_))).map(|(id, _)| id);
    let others = |id: EventId| ctp.events().map(|(other, _)| other).filter(|other| other.thread != id.thread).last();
    let both = |id: EventId| {
        [None, others(id)].map(|done| Goal { fails: Some(id), done: done.into_iter().collect(), ..Goal::default() })
    };
    assumes.flat_map(both).collect()
}

/// All questions about a program.
pub fn questions(ctp: &Ctp, extent: Extent) -> Vec<Goal> {
    let mut all = goals::assertions(ctp);
    let regions = goals::marked_regions(ctp);
    all.extend(goals::triples(ctp, &regions).0.into_iter().take(6).map(goals::Triple::goal));
    if extent == Extent::Prefix {
        all.extend(branches(ctp));
        all.extend(goals::races(ctp).into_iter().take(6));
        all.extend(goals::lock_errors(ctp).into_iter().take(3));
    }
    all
}
