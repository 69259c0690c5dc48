//! The two forms of the paper, unfolded over threads and variables.
use super::Fixed;
use std::fmt::Write;

/// The streams of a trace; all of them are declared, because the dialect refuses events of others.
const INPUTS: &str = "\
in threadid: Events[Int]
in function: Events[String]
in line: Events[Int]
in column: Events[Int]
in file: Events[String]
in instruction: Events[String]
in readaddr: Events[Int]
in writeaddr: Events[Int]
in readvar: Events[String]
in writevar: Events[String]
in varaddr: Events[Int]
in varsize: Events[Int]
in varoffset: Events[Int]
in mutexlock: Events[String]
in mutexlockaddr: Events[Int]
in mutexunlock: Events[String]
in mutexunlockaddr: Events[Int]
in mutexlockini: Events[Int]
in pcreate: Events[Unit]
in pcreateid: Events[Int]
in pjoinid: Events[Int]
";

/// The lockset algorithm with sets of locks: Figure 3 of the paper.
pub fn with_sets(fixed: &Fixed) -> String {
    let mut text = Text::new();
    text.threads(fixed.threads);
    text.title("HOLDING LOCKS");
    for t in 0..=fixed.threads {
        text.line(&format!(
            "def T{t}_holding_locks := collectSetWithRemove(on(T{t},mutexlockaddr),on(T{t},mutexunlockaddr))"
        ));
    }
    for variable in &fixed.variables {
        let x = text.variable(variable);
        text.title(&format!("CHECKING {variable}"));
        let holding = text.at_accesses(fixed.threads, &x, "holding_locks", "");
        text.line(&format!("def holding_{x} := {holding}"));
        text.line(&format!("out holding_{x}"));
        text.line(&format!(
            "def guarding_{x} := default(Set_intersection(last(guarding_{x},holding_{x}), holding_{x}),holding_{x})"
        ));
        text.line(&format!("out guarding_{x}"));
        text.line(&format!("def error_{x} := if guarding_{x}==Set_empty then ()"));
        text.errors(&x, ["line", "function"]);
    }
    text.out
}

/// The lockset algorithm without sets, for a fixed number of locks.
pub fn without_sets(fixed: &Fixed, locks: usize) -> String {
    let mut text = Text::new();
    text.threads(fixed.threads);
    text.locks(locks);
    text.title("HOLDING LOCKS");
    for t in 0..=fixed.threads {
        for l in 0..locks {
            text.line(&format!(
                "def T{t}_holds_{l} := default(mergeValues(const(true, on(T{t},L{l})), const(false, on(T{t},U{l}))), false)"
            ));
        }
    }
    for variable in &fixed.variables {
        let x = text.variable(variable);
        text.title(&format!("CHECKING {variable}"));
        let mut none = Vec::new();
        for l in 0..locks {
            let holding = text.at_accesses(fixed.threads, &x, &format!("holds_{l}"), &format!("_{l}"));
            text.line(&format!("def holding_{l}_{x} := {holding}"));
            text.line(&format!(
                "def guarding_{l}_{x} := default(last(guarding_{l}_{x},holding_{l}_{x}) && holding_{l}_{x},holding_{l}_{x})"
            ));
            none.push(format!("!guarding_{l}_{x}"));
        }
        let condition = if none.is_empty() { format!("access_{x}==access_{x}") } else { none.join(" && ") };
        text.line(&format!("def error_{x} := if {condition} then ()"));
        text.errors(&x, ["function", "line"]);
    }
    text.out
}

/// The specification as it grows.
struct Text {
    out: String,
}

impl Text {
    fn new() -> Text {
        Text { out: format!("-- dialect: 2018\n{INPUTS}") }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.out, "{line}").expect("a string takes any text");
    }

    fn title(&mut self, title: &str) {
        let ruler = "-".repeat(89);
        self.line(&format!("{ruler}\n-------{title}{}\n{ruler}", "-".repeat(82usize.saturating_sub(title.len()))));
    }

    /// `T0`, `T1`, …: an event whenever the thread has one, threads numbered as they are first seen.
    fn threads(&mut self, threads: usize) {
        self.title("THREADS");
        self.slots(threads + 1, "threadid", "thread", "other_threads");
        for t in 0..=threads {
            let source = rest("threadid", "other_threads", t);
            self.line(&format!("def T{t} := if {source}==thread_{t} then ()"));
        }
        self.line(&format!("@incomplete\nout {} as more_threads", rest("threadid", "other_threads", threads + 1)));
    }

    /// `L0`, `U0`, …: an event whenever the lock is taken or released, locks numbered as they are first taken.
    fn locks(&mut self, locks: usize) {
        self.title("LOCKS");
        self.slots(locks, "mutexlockaddr", "lock", "other_locks");
        for l in 0..locks {
            let source = rest("mutexlockaddr", "other_locks", l);
            self.line(&format!("def L{l} := if {source}==lock_{l} then ()"));
            self.line(&format!("def U{l} := on(if mutexunlockaddr==lock_{l} then (), mutexunlockaddr)"));
        }
        self.line(&format!("@incomplete\nout {} as more_locks", rest("mutexlockaddr", "other_locks", locks)));
    }

    /// The first, second, … distinct value of a stream: each keeps the first value that those before it left over.
    fn slots(&mut self, count: usize, stream: &str, slot: &str, left: &str) {
        for index in 0..count {
            let source = rest(stream, left, index);
            self.line(&format!("def {slot}_{index} := default(last({slot}_{index},{source}),{source})"));
            self.line(&format!("def {left}_{} := if {source}!={slot}_{index} then {source}", index + 1));
        }
    }

    /// The accesses of a variable; returns its name as part of a stream's.
    fn variable(&mut self, variable: &str) -> String {
        let x: String = variable.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let is_address = variable.starts_with(|c: char| c.is_ascii_digit());
        let (read, write, value) = match is_address {
            true => ("readaddr", "writeaddr", variable.to_owned()),
            false => ("readvar", "writevar", format!("{variable:?}")),
        };
        self.title(&format!("ACCESSES OF {variable}"));
        if !is_address {
            self.line(&format!("@@variable({variable:?})"));
        }
        self.line(&format!("def read_{x} := if {read}=={value} then ()"));
        self.line(&format!("def write_{x} := if {write}=={value} then ()"));
        self.line(&format!("def access_{x} := merge(read_{x}, write_{x})"));
        self.line(&format!("def thread_accessing_{x} := on(access_{x},threadid)"));
        self.line(&format!("out thread_accessing_{x}"));
        x
    }

    /// What each thread has when it accesses the variable, merged over the threads.
    fn at_accesses(&mut self, threads: usize, x: &str, what: &str, tag: &str) -> String {
        let mut merged = String::new();
        for t in (0..=threads).rev() {
            let name = format!("T{t}_holding{tag}_accessing_{x}");
            self.line(&format!("def {name} := last(T{t}_{what},on(T{t},access_{x}))"));
            merged = if merged.is_empty() { name } else { format!("mergeValues({name},{merged})") };
        }
        merged
    }

    fn errors(&mut self, x: &str, places: [&str; 2]) {
        for place in places {
            self.line(&format!("def error_{x}_in_{place} := on(error_{x},{place})"));
            self.line(&format!("out error_{x}_in_{place}"));
        }
    }
}

/// What is left of a stream after the first `index` distinct values.
fn rest(stream: &str, left: &str, index: usize) -> String {
    if index == 0 { stream.to_owned() } else { format!("{left}_{index}") }
}
