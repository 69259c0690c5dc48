//! Memory intervals: maximal blocks of bytes always accessed together (thesis 5.2.2).
//!
//! **Definition.** The signature of a byte is the set of pairs (segment, read or write) in which it is accessed,
//! together with the atomic variables that cover it. An interval is a maximal run of neighbouring bytes of one
//! allocation with one signature. It is kept if at least two threads touch it, at least one access writes it, and at
//! least one access is plain.
//!
//! **Algorithm.** Touches are sorted by allocation and line. Within a line, the bytes are split, touch by touch, into
//! at most 64 classes of equal signature. A class that reaches the end of its line is joined with the next line's if
//! their signatures are equal. So `n` touches cost `O(n log n)`.
//!
//! **Deviations.** The thesis joins bytes accessed by the same *threads*. Grouping by segment is finer, and lets an
//! access event stand for all bytes of its interval. The thesis counts every atomic access as a read, because it cannot
//! race with another atomic one. But a plain read does race with an atomic store, so here an atomic store is a write.
//! Atomics do not race among themselves because they are not access events: [`crate::AtomicInfo::intervals`].

use foretrace_event::ThreadId;

/// What touched the bytes: a segment, or an atomic variable with all its operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Toucher {
    /// A segment, by number.
    Segment(u32),
    /// An atomic variable, by id.
    Atomic(u32),
}

/// Bytes of one line and one allocation touched by one segment or atomic variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    pub(crate) line: u64,
    pub(crate) generation: u32,
    pub(crate) toucher: Toucher,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) place: u32,
}

impl Touch {
    fn key(&self) -> (u32, u64, Toucher) {
        (self.generation, self.line, self.toucher)
    }

    /// How it touches the bytes of `mask`: not at all, reading, writing, both.
    fn how(&self, mask: u64) -> (bool, bool) {
        (self.reads & mask != 0, self.writes & mask != 0)
    }
}

/// The threads of a toucher: one, or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Threads {
    /// Only this one.
    One(ThreadId),
    /// At least two.
    Many,
}

/// Receives the intervals and their touches.
pub(crate) trait Sink {
    /// The threads that this toucher stands for.
    fn threads(&self, toucher: Toucher) -> Threads;
    /// A new interval; the touches that follow belong to it.
    fn interval(&mut self, address: u64, generation: u32);
    /// This toucher accesses the interval, reading or writing or both.
    fn touch(&mut self, toucher: Toucher, how: (bool, bool), place: u32);
    /// The interval is this many bytes longer.
    fn extend(&mut self, bytes: u64);
}

/// Groups the bytes of all touches into intervals, in the order of their allocations and then of their addresses.
pub(crate) fn group(mut touches: Vec<Touch>, sink: &mut impl Sink) {
    touches.sort_unstable_by_key(Touch::key);
    touches.dedup_by(|next, first| {
        let same = next.key() == first.key();
        if same {
            (first.reads, first.writes) = (first.reads | next.reads, first.writes | next.writes);
        }
        same
    });
    let mut tail: Option<Tail<'_>> = None;
    let mut classes = Vec::new();
    for line in touches.chunk_by(|a, b| (a.line, a.generation) == (b.line, b.generation)) {
        split(line, &mut classes);
        tail = runs(&classes, |start, mask| kept_run(line, start, mask, tail, sink));
    }
}

/// The run at the end of the last line, if it is kept.
#[derive(Clone, Copy)]
struct Tail<'a> {
    line: &'a [Touch],
    mask: u64,
}

impl Tail<'_> {
    /// Does the next line's first run continue this one?
    fn continues(&self, line: &[Touch], mask: u64) -> bool {
        let (last, next) = (&self.line[0], &line[0]);
        if (last.line + 1, last.generation) != (next.line, next.generation) {
            return false;
        }
        signature(self.line, self.mask).eq(signature(line, mask))
    }
}

fn signature(line: &[Touch], mask: u64) -> impl Iterator<Item = (Toucher, (bool, bool))> + '_ {
    line.iter().map(move |touch| (touch.toucher, touch.how(mask))).filter(|(_, how)| *how != (false, false))
}

/// Splits a line's touched bytes into classes of equal signature.
fn split(line: &[Touch], classes: &mut Vec<u64>) {
    classes.clear();
    classes.push(line.iter().fold(0, |mask, touch| mask | touch.reads | touch.writes));
    for touch in line {
        for mask in [touch.reads, touch.writes] {
            for index in 0..classes.len() {
                let (inside, outside) = (classes[index] & mask, classes[index] & !mask);
                if inside != 0 && outside != 0 {
                    classes[index] = inside;
                    classes.push(outside);
                }
            }
        }
    }
}

/// Passes on the runs of neighbouring bytes of one class, in order; returns the last one if it ends the line.
fn runs<T>(classes: &[u64], mut each: impl FnMut(u32, u64) -> Option<T>) -> Option<T> {
    let mut starts = classes.iter().fold(0, |starts, class| starts | (class & !(class << 1)));
    let mut last = None;
    while starts != 0 {
        let start = starts.trailing_zeros();
        starts &= starts - 1;
        let class = classes.iter().find(|class| *class >> start & 1 != 0).expect("a run begins in a class");
        let length = (class >> start).trailing_ones();
        let mask = (u64::MAX >> (64 - length)) << start;
        let given = each(start, mask);
        last = if start + length == 64 { given } else { None };
    }
    last
}

/// Gives a run that is kept to the sink; returns it as a possible tail.
fn kept_run<'a>(
    line: &'a [Touch],
    start: u32,
    mask: u64,
    tail: Option<Tail<'a>>,
    sink: &mut impl Sink,
) -> Option<Tail<'a>> {
    let joins = start == 0 && tail.is_some_and(|tail| tail.continues(line, mask));
    if !joins {
        if !can_race(line, mask, sink) {
            return None;
        }
        sink.interval(line[0].line * 64 + u64::from(start), line[0].generation);
        for touch in line.iter().filter(|touch| touch.how(mask) != (false, false)) {
            sink.touch(touch.toucher, touch.how(mask), touch.place);
        }
    }
    sink.extend(u64::from(mask.count_ones()));
    Some(Tail { line, mask })
}

/// Do two threads touch it, with at least one write and one plain access?
fn can_race(line: &[Touch], mask: u64, sink: &impl Sink) -> bool {
    let (mut first, mut many, mut written, mut plain) = (None, false, false, false);
    for touch in line.iter().filter(|touch| touch.how(mask) != (false, false)) {
        match (sink.threads(touch.toucher), first) {
            (Threads::Many, _) => many = true,
            (Threads::One(thread), None) => first = Some(thread),
            (Threads::One(thread), Some(other)) => many |= thread != other,
        }
        written |= touch.how(mask).1;
        plain |= matches!(touch.toucher, Toucher::Segment(_));
        if many && written && plain {
            return true;
        }
    }
    false
}
