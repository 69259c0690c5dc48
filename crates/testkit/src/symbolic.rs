//! Concurrent trace programs that grow: the programs of the tables in Wang et al., section 9, made by rules so that the
//! numbers of questions and answers are those of the paper, and random reads and writes of four threads.

use crate::Random;
use std::fmt::Write;

/// Lines of a program.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }
}

/// Table 1, banking: each thread pays into one account. With the error, it reads in one critical section and writes in the
/// next. At the end nothing may be missing.
pub fn banking(threads: usize, error: bool) -> String {
    let mut lines = Lines("var balance 4\nlock m\n".to_owned());
    (1..=threads).for_each(|t| lines.add(format!("main fork t{t}")));
    for t in 1..=threads {
        lines.add(format!("t{t} lock m"));
        lines.add(format!("t{t} read b balance"));
        if error && t <= 2 {
            lines.add(format!("t{t} unlock m"));
            lines.add(format!("t{t} lock m"));
        }
        lines.add(format!("t{t} write balance (add b 10)"));
        lines.add(format!("t{t} unlock m"));
    }
    (1..=threads).for_each(|t| lines.add(format!("main join t{t}")));
    lines.add("main read b balance");
    lines.add(format!("main assert (eq b {})", 10 * threads));
    lines.0
}

/// Table 1, indexer: each thread puts four messages into a hash table of 128 entries; an entry that is taken sends it to
/// the next. The assertion is about an entry that only one thread uses, or, with the error, about one that two want.
pub fn indexer(threads: usize, error: bool) -> String {
    let mut lines = Lines::default();
    (0..128).for_each(|entry| lines.add(format!("var table{entry} 4")));
    let mut owner = [None::<usize>; 128];
    let mut body: Vec<(usize, usize, bool)> = Vec::new();
    let mut wanted = [0; 128];
    for t in 0..threads {
        for message in 1..=4 {
            let mut entry = (message * 11 + t) * 7 % 128;
            wanted[entry] += 1;
            while owner[entry].is_some() {
                body.push((t, entry, false));
                entry = (entry + 1) % 128;
            }
            owner[entry] = Some(t);
            body.push((t, entry, true));
        }
    }
    let asked = (0..128).find(|entry| owner[*entry].is_some() && (wanted[*entry] > 1) == error);
    for (place, (t, entry, fits)) in body.into_iter().enumerate() {
        let (name, word) = (format!("o{place}"), place + 1);
        lines.add(format!("t{t} update {name} table{entry} (select (eq {name} 0) {word} {name})"));
        if fits && asked == Some(entry) {
            lines.add(format!("t{t} assert (eq {name} 0)"));
        }
        lines.add(format!("t{t} assume ({} {name} 0)", if fits { "eq" } else { "ne" }));
    }
    lines.0
}

/// Table 2, atom001 and atom002: a region that reads and writes a variable; another thread writes it, once under the lock
/// of the region and otherwise without. In the fixed version, it waits for a flag that is set after the region.
pub fn atom(remote: usize, main: usize, fixed: bool) -> String {
    let mut lines = Lines("var x 4\nvar flag 4\nlock m\n".to_owned());
    (0..main).for_each(|n| lines.add(format!("main write x {n}:32")));
    ["main fork t1", "main fork t2"].iter().for_each(|line| lines.add(line));
    ["lock m", "begin", "read a x", "write x (add a 1)", "end", "unlock m"]
        .iter()
        .for_each(|l| lines.add(format!("t1 {l}")));
    lines.add("t1 write flag 1:32");
    ["lock m", "write x 7:32", "unlock m"].iter().for_each(|line| lines.add(format!("t2 {line}")));
    if fixed {
        ["read f flag", "assume (eq f 1)"].iter().for_each(|line| lines.add(format!("t2 {line}")));
    }
    (1..remote).for_each(|n| lines.add(format!("t2 write x {n}:32")));
    ["main join t1", "main join t2"].iter().for_each(|line| lines.add(line));
    lines.0
}

/// Table 2, bank: pairs of threads, four accounts each, of which a fix orders the first `protected` by a flag.
pub fn bank(threads: usize, protected: usize) -> String {
    let mut lines = Lines::default();
    for pair in 0..threads / 2 {
        (0..4).for_each(|account| lines.add(format!("var p{pair}a{account} 4")));
        lines.add(format!("var turn{pair} 4"));
    }
    let accounts = |pair: usize| (0..4).map(move |account| format!("p{pair}a{account}"));
    (0..threads / 2).flat_map(accounts).for_each(|account| lines.add(format!("main write {account} 100:32")));
    (0..threads).for_each(|t| lines.add(format!("main fork t{t}")));
    for pair in 0..threads / 2 {
        let (first, second) = (2 * pair, 2 * pair + 1);
        lines.add(format!("t{first} begin"));
        accounts(pair).take(protected).for_each(|account| pays(&mut lines, first, &account));
        lines.add(format!("t{first} write turn{pair} 1:32"));
        accounts(pair).skip(protected).for_each(|account| pays(&mut lines, first, &account));
        lines.add(format!("t{first} end"));
        lines.add(format!("t{second} begin"));
        accounts(pair).skip(protected).for_each(|account| pays(&mut lines, second, &account));
        if protected > 0 {
            lines.add(format!("t{second} read turn turn{pair}"));
            lines.add(format!("t{second} assume (eq turn 1)"));
        }
        accounts(pair).take(protected).for_each(|account| pays(&mut lines, second, &account));
        lines.add(format!("t{second} end"));
    }
    (0..threads).for_each(|t| lines.add(format!("main join t{t}")));
    (0..threads / 2).flat_map(accounts).for_each(|account| lines.add(format!("main write {account} 0:32")));
    lines.0
}

fn pays(lines: &mut Lines, thread: usize, account: &str) {
    lines.add(format!("t{thread} read v {account}"));
    lines.add(format!("t{thread} write {account} (add v 1)"));
}

/// Reads and writes of four threads in a random order; every read must see the value that it saw there, of four.
pub fn orderings(accesses: usize, vars: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for var in 0..vars {
        let _ = writeln!(text, "var v{var} 1");
    }
    let mut values = vec![0; vars];
    for _ in 0..accesses {
        let (thread, var) = (random.below(4), random.below(vars as u32) as usize);
        if random.below(2) == 0 {
            let _ = writeln!(text, "t{thread} read a v{var}\nt{thread} assume (eq a {})", values[var]);
        } else {
            values[var] = random.below(4);
            let _ = writeln!(text, "t{thread} write v{var} {}:8", values[var]);
        }
    }
    text
}
