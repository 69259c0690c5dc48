//! The state of a search as text, so that it can go on later.
//!
//! One line an item: what was counted, where the search begins, and each state of the current path with the decision taken
//! there, who sleeps, and the branches to be explored (a line each, with its depth). The text is read as untrusted input.

use super::tree::{Branch, Label};
use super::{Counts, Frame, Optimal, Root};
use crate::execution::Step;
use crate::plan::Choice;
use foretrace_event::visible::{ObjectId, OpKind, Operation};
use foretrace_event::{ThreadId, ThreadSet};
use std::fmt;
use std::str::{FromStr, SplitWhitespace};

/// The first line.
const HEADER: &str = "foretrace search 1";
/// The deepest that branches may be nested in text.
const DEPTH: usize = 10_000;

/// Why a text is not the state of a search.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the saved search: {what}; start the search anew")]
pub struct StateError {
    /// In which line, from 1.
    pub line: usize,
    /// What was expected there.
    pub what: &'static str,
}

impl fmt::Display for Optimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { classes, asleep, diverged, cut, steps, depth } = self.counts;
        writeln!(f, "{HEADER}")?;
        writeln!(f, "counts {classes} {asleep} {diverged} {cut} {steps} {depth}")?;
        let [begun, forgot, open] = [self.begun, self.forgot, self.open || self.again].map(u8::from);
        writeln!(f, "state {begun} {forgot} {open} {}", self.known)?;
        write!(f, "root")?;
        self.root.prefix.iter().try_for_each(|choice| write!(f, " {}", Text(choice)))?;
        writeln!(f)?;
        write_sleep(f, &self.root.sleep)?;
        self.frames.iter().try_for_each(|frame| write_frame(f, frame))?;
        writeln!(f, "end")
    }
}

fn write_frame(f: &mut fmt::Formatter<'_>, frame: &Frame) -> fmt::Result {
    let (taken, explored, inherited) = (u8::from(frame.taken), frame.explored, frame.inherited);
    write!(f, "frame {} {} {taken} {explored} {inherited}", Text(&frame.current), Text(&frame.operation))?;
    frame.done.iter().try_for_each(|alternative| write!(f, " {alternative}"))?;
    writeln!(f)?;
    write_sleep(f, &frame.sleep)?;
    frame.branches.iter().try_for_each(|branch| write_branch(f, branch, 0))
}

fn write_sleep(f: &mut fmt::Formatter<'_>, sleep: &[(ThreadId, Operation)]) -> fmt::Result {
    write!(f, "sleep")?;
    sleep.iter().try_for_each(|(thread, operation)| write!(f, " {} {}", thread.0, Text(operation)))?;
    writeln!(f)
}

fn write_branch(f: &mut fmt::Formatter<'_>, branch: &Branch, depth: usize) -> fmt::Result {
    write!(f, "branch {depth}")?;
    branch.labels.iter().try_for_each(|label| write!(f, " {} {}", Text(&label.choice), Text(&label.operation)))?;
    writeln!(f)?;
    branch.children.iter().try_for_each(|child| write_branch(f, child, depth + 1))
}

/// A value in its text form.
struct Text<'a, T>(&'a T);

impl fmt::Display for Text<'_, Choice> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.thread.0, self.0.alternative)
    }
}

impl fmt::Display for Text<'_, Operation> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operation { kind, object, other, argument } = self.0;
        write!(f, "{}:{:x}:{:x}:{argument:x}", kind.name(), object.0, other.0)
    }
}

fn choice(text: &str) -> Option<Choice> {
    let (thread, alternative) = text.split_once('.')?;
    Some(Choice { thread: thread_id(thread)?, alternative: alternative.parse().ok()? })
}

fn thread_id(text: &str) -> Option<ThreadId> {
    text.parse().ok().filter(|&number| number < ThreadSet::CAPACITY).map(ThreadId)
}

fn operation(text: &str) -> Option<Operation> {
    let mut parts = text.split(':');
    let kind = OpKind::from_name(parts.next()?)?;
    let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
    Some(Operation { kind, object: ObjectId(number()?), other: ObjectId(number()?), argument: number()? })
}

/// The words of a line in pairs.
fn pairs<A, B>(
    words: &mut SplitWhitespace<'_>,
    a: fn(&str) -> Option<A>,
    b: fn(&str) -> Option<B>,
) -> Option<Vec<(A, B)>> {
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        found.push((a(word)?, b(words.next()?)?));
    }
    Some(found)
}

/// Reads lines, and knows which.
struct Reader<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    line: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, what: &'static str) -> StateError {
        StateError { line: self.line, what }
    }

    /// The words of the next line after its first, if that is this.
    fn words(&mut self, first: &str) -> Option<SplitWhitespace<'a>> {
        let (at, line) = *self.lines.peek()?;
        let mut words = line.split_whitespace();
        (words.next() == Some(first)).then_some(())?;
        self.lines.next();
        self.line = at + 1;
        Some(words)
    }

    fn expect<T>(
        &mut self,
        first: &'static str,
        read: impl FnOnce(SplitWhitespace<'a>) -> Option<T>,
    ) -> Result<T, StateError> {
        self.line += 1;
        let words = self.words(first).ok_or(StateError { line: self.line, what: first })?;
        read(words).ok_or_else(|| self.error(first))
    }

    fn sleep(&mut self) -> Result<Vec<(ThreadId, Operation)>, StateError> {
        self.expect("sleep", |mut words| pairs(&mut words, thread_id, operation))
    }

    fn frame(&mut self) -> Result<Option<Frame>, StateError> {
        let Some(words) = self.words("frame") else { return Ok(None) };
        let mut frame = frame(words).ok_or_else(|| self.error("a state"))?;
        frame.sleep = self.sleep()?;
        frame.branches = self.branches()?;
        Ok(Some(frame))
    }

    /// Branches with their depths: a deeper one is a child of the one before.
    fn branches(&mut self) -> Result<Vec<Branch>, StateError> {
        let mut open: Vec<Vec<Branch>> = vec![Vec::new()];
        while let Some(mut words) = self.words("branch") {
            let branch = branch(&mut words).ok_or_else(|| self.error("a branch"))?;
            let (depth, branch) = branch;
            if depth > DEPTH || depth >= open.len() + usize::from(open.last().is_some_and(|last| !last.is_empty())) {
                return Err(self.error("a branch of a smaller depth"));
            }
            close(&mut open, depth);
            open.resize_with(depth + 1, Vec::new);
            open[depth].push(branch);
        }
        close(&mut open, 0);
        Ok(open.pop().unwrap_or_default())
    }
}

/// Gives the branches that are deeper than this to their parents.
fn close(open: &mut Vec<Vec<Branch>>, depth: usize) {
    while open.len() > depth + 1 {
        let children = open.pop().unwrap_or_default();
        if let Some(parent) = open.last_mut().and_then(|siblings| siblings.last_mut()) {
            parent.children = children;
        }
    }
}

fn branch(words: &mut SplitWhitespace<'_>) -> Option<(usize, Branch)> {
    let depth = words.next()?.parse().ok()?;
    let labels = pairs(words, choice, operation)?;
    let labels: Vec<Label> = labels.into_iter().map(|(choice, operation)| Label { choice, operation }).collect();
    (!labels.is_empty()).then_some((depth, Branch { labels, children: Vec::new() }))
}

fn frame(mut words: SplitWhitespace<'_>) -> Option<Frame> {
    let label = Label { choice: choice(words.next()?)?, operation: operation(words.next()?)? };
    let (taken, explored) = (words.next()? == "1", words.next()?.parse().ok()?);
    let inherited = words.next()?.parse().ok()?;
    let done: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    Some(Frame { taken, explored, inherited, done: done?, ..Frame::new(Vec::new(), label, Vec::new()) })
}

fn counts(words: SplitWhitespace<'_>) -> Option<Counts> {
    let [classes, asleep, diverged, cut, steps, depth] = numbers(words)?;
    Some(Counts { classes, asleep, diverged, cut, steps, depth })
}

/// So many numbers, and no more.
fn numbers<const N: usize>(words: SplitWhitespace<'_>) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    numbers?.try_into().ok()
}

impl FromStr for Optimal {
    type Err = StateError;

    fn from_str(text: &str) -> Result<Self, StateError> {
        let mut reader = Reader { lines: text.lines().enumerate().peekable(), line: 0 };
        let begin = reader.expect("foretrace", |words| words.eq(["search", "1"]).then_some(()));
        begin.map_err(|error| StateError { what: HEADER, ..error })?;
        let counts = reader.expect("counts", counts)?;
        let [begun, forgot, open, known] = reader.expect("state", numbers)?;
        let prefix = reader.expect("root", |words| words.map(choice).collect())?;
        let sleep = reader.sleep()?;
        let (begun, forgot, again) = (begun == 1, forgot == 1, open == 1);
        let mut search = Self { counts, begun, forgot, again, root: Root { prefix, sleep }, ..Self::default() };
        while let Some(frame) = reader.frame()? {
            search.history.push(&step(&frame), false);
            search.stored += frame.branches.iter().map(Branch::size).sum::<usize>();
            search.frames.push(frame);
        }
        reader.expect("end", |_| Some(()))?;
        search.known = search.frames.len().min(known as usize);
        Ok(search)
    }
}

/// The step that a state's decision led to, as far as the history needs it.
fn step(frame: &Frame) -> Step {
    let Choice { thread, alternative } = frame.current;
    let enabled = ThreadSet::EMPTY;
    Step { thread, alternative, alternatives: 1, operation: frame.operation, enabled, place: 0 }
}
