//! Polling loops: a round of operations that change nothing, and that repeats the round before it, is left out.
//!
//! A thread that polls makes millions of loads that all read the same. The recorder leaves out an operation that completes
//! a repeated round, and everything after it that goes on repeating; a replay does not count these operations as steps.
//! Both decide by the thread's own operations since the last one that did change something, so they decide alike.
//!
//! With the operations e₁ … eₙ since then, eₙ is left out if for some length p of a round the last p operations equal the p
//! before them. Equal are operations of one instruction on one variable, that found the same value, and before which the
//! thread touched the same bytes. Nothing is lost by that: such a round releases nothing, so that whatever is ordered
//! with its accesses is ordered with those of the rounds that stay. A read-modify-write that leaves its variable as it
//! was may release; it is left out only from rounds that touch nothing but what lies near the top of the thread's stack,
//! where unoptimised code keeps its operands.

/// Operations of one round, at most.
pub const LONGEST: usize = 8;
/// Lines that may be touched between two operations.
const FEW: usize = 8;

/// The bytes of a line that were read and written.
#[derive(Clone, Copy, Default)]
struct Line {
    address: usize,
    reads: u64,
    writes: u64,
}

/// What a thread has touched since its last operation.
#[derive(Clone, Copy, Default)]
struct Touched {
    lines: [Line; FEW],
    count: usize,
    /// It touched more lines than there is room for.
    many: bool,
}

impl Touched {
    fn add(&mut self, address: usize, reads: u64, writes: u64) {
        let address = address & !63;
        if let Some(line) = self.lines[..self.count].iter_mut().find(|line| line.address == address) {
            line.reads |= reads;
            line.writes |= writes;
        } else if let Some(line) = self.lines.get_mut(self.count) {
            *line = Line { address, reads, writes };
            self.count += 1;
        } else {
            self.many = true;
        }
    }

    /// Is something touched that does not lie near the top of the thread's stack?
    fn is_shared(&self) -> bool {
        const NEAR: usize = 1 << 16;
        let here = core::ptr::from_ref(&self).addr() & !63;
        self.lines[..self.count].iter().any(|line| line.address.wrapping_sub(here) > NEAR)
    }

    /// A number that stands for the lines, in whatever order they were touched.
    fn digest(&self) -> u64 {
        let one = |line: &Line| mix(mix(mix(1, line.address as u64), line.reads), line.writes);
        self.lines[..self.count].iter().map(one).fold(0, u64::wrapping_add)
    }
}

/// A good mixture of two numbers.
const fn mix(state: u64, word: u64) -> u64 {
    let product = (state ^ word.rotate_left(32)) as u128 * 0x9e37_79b9_7f4a_7c15_u128;
    let folded = (product >> 64) as u64 ^ product as u64;
    (folded ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ folded >> 29
}

/// An operation that changes nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Poll {
    /// What it was done to.
    pub at: usize,
    /// What it found there.
    pub value: [u64; 2],
    /// The instruction.
    pub pc: usize,
    /// It is a read-modify-write.
    pub modifies: bool,
}

impl Poll {
    /// An attempt to take a mutex that is taken.
    pub const fn failed_try(mutex: usize, arg: u64, pc: usize) -> Self {
        Self { at: mutex, value: [arg, 0], pc, modifies: false }
    }

    fn digest(&self, touched: u64) -> u64 {
        let found = mix(mix(self.at as u64, self.value[0]), self.value[1]);
        mix(mix(found, self.pc as u64), touched)
    }
}

/// The operations of a thread since it last changed something.
#[derive(Clone, Copy, Default)]
pub struct Rounds {
    /// The last of them, by their digests, in turn.
    last: [u64; LONGEST],
    count: usize,
    /// For each length of a round: how many operations in succession have equalled the one that many before.
    equal: [u32; LONGEST],
    touched: Touched,
    /// Some of the operations were read-modify-writes,
    modified: bool,
    /// and the thread touched memory between some that others may use.
    touches: bool,
}

impl Rounds {
    /// The thread has done something else. While no operation could be repeated, nothing that was touched is kept.
    #[inline]
    pub fn end(&mut self) {
        if self.is_open() {
            (self.count, self.touched.count, self.touched.many) = (0, 0, false);
        }
    }

    /// Is there an operation that could be repeated? Only then does it matter what the thread touches.
    #[inline]
    pub const fn is_open(&self) -> bool {
        self.count > 0
    }

    /// The thread has touched these bytes.
    #[inline]
    pub fn touch(&mut self, address: usize, reads: u64, writes: u64) {
        if self.is_open() {
            self.touched.add(address, reads, writes);
        }
    }

    /// The thread has touched what `each` tells, which answers false if that is too much to tell.
    #[inline]
    pub fn touch_all(&mut self, each: impl FnOnce(&mut dyn FnMut(usize, u64, u64)) -> bool) {
        if self.is_open() && !each(&mut |address, reads, writes| self.touched.add(address, reads, writes)) {
            self.touched.many = true;
        }
    }

    /// Would this operation repeat a round? How many operations long the round is, if so.
    pub fn repeats(&self, poll: &Poll) -> Option<usize> {
        if !self.is_open() || self.touched.many || self.is_mixed(poll) {
            return None;
        }
        let digest = poll.digest(self.touched.digest());
        (1..=LONGEST.min(self.count))
            .find(|length| self.is_equal(*length, digest) && self.equal[length - 1] as usize + 1 >= *length)
    }

    /// Is the operation of this digest equal to the one that many before?
    fn is_equal(&self, length: usize, digest: u64) -> bool {
        self.last[(self.count - length) % LONGEST] == digest
    }

    /// Are there read-modify-writes, and is memory touched between operations, with this operation at the end?
    fn is_mixed(&self, poll: &Poll) -> bool {
        (self.modified || poll.modifies) && (self.touches || self.touched.is_shared())
    }

    /// The operation has been done. How many operations long the round is that it repeats, if it does.
    pub fn note(&mut self, poll: &Poll) -> Option<usize> {
        if self.touched.many {
            self.end();
        }
        if !self.is_open() {
            (self.equal, self.modified, self.touches) = ([0; LONGEST], false, false);
        }
        let repeats = self.repeats(poll);
        self.modified |= poll.modifies;
        self.touches |= self.touched.is_shared();
        let digest = poll.digest(self.touched.digest());
        for length in 1..=LONGEST.min(self.count) {
            let is_equal = self.is_equal(length, digest);
            let equal = &mut self.equal[length - 1];
            *equal = if is_equal { equal.saturating_add(1) } else { 0 };
        }
        self.last[self.count % LONGEST] = digest;
        self.count += 1;
        self.touched.count = 0;
        repeats
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Poll, Rounds};

    fn load(at: usize, value: u64) -> Poll {
        Poll { at, value: [value, 0], pc: at + 1, modifies: false }
    }

    /// Which of the operations are left out, by the definition: the last p equal the p before them.
    fn naive(polls: &[Poll]) -> Vec<bool> {
        let is_round = |end: usize, length: usize| {
            end + 1 >= 2 * length && polls[end + 1 - length..=end] == polls[end + 1 - 2 * length..=end - length]
        };
        (0..polls.len()).map(|end| (1..=LONGEST).any(|length| is_round(end, length))).collect()
    }

    fn left_out(polls: &[Poll]) -> Vec<bool> {
        let mut rounds = Rounds::default();
        polls
            .iter()
            .map(|poll| {
                let repeats = rounds.repeats(poll);
                assert_eq!(rounds.note(poll), repeats);
                repeats.is_some()
            })
            .collect()
    }

    #[test]
    fn repeated_rounds_are_left_out() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut left = 0;
        for _ in 0..5000 {
            let variety = 1 + random(4);
            let mut polls = Vec::new();
            while polls.len() < 60 {
                let round: Vec<_> = (0..=random(9)).map(|_| load(random(variety) as usize, random(2))).collect();
                (0..=random(5)).for_each(|_| polls.extend_from_slice(&round));
            }
            let expected = naive(&polls);
            left += expected.iter().filter(|is_left| **is_left).count();
            assert_eq!(left_out(&polls), expected);
        }
        assert!(left > 50_000);
    }

    #[test]
    fn a_million_rounds_are_three_loads() {
        let polls: Vec<_> = (0..2_000_000).map(|number| load(number % 2, 0)).collect();
        assert_eq!(left_out(&polls).iter().filter(|is_left| !**is_left).count(), 3);
    }

    #[test]
    fn rounds_that_touch_other_bytes_stay() {
        let round = |rounds: &mut Rounds, touch: &dyn Fn(&mut Rounds)| {
            touch(rounds);
            rounds.note(&load(1, 0)).is_some()
        };
        let mut rounds = Rounds::default();
        let touches: [&dyn Fn(&mut Rounds); 6] = [
            &|_| {},
            &|rounds| rounds.touch(0x40, 1, 0),
            &|rounds| rounds.touch(0x41, 1, 0),
            &|rounds| rounds.touch(0x41, 1, 1),
            &|rounds| (0..9).for_each(|line| rounds.touch(line * 64, 1, 0)),
            &|rounds| (0..9).for_each(|line| rounds.touch(line * 64, 1, 0)),
        ];
        assert_eq!(touches.map(|touch| round(&mut rounds, touch)), [false, false, true, false, false, false]);
    }

    #[test]
    fn a_modification_stays_in_rounds_that_touch_memory() {
        let modify = Poll { modifies: true, ..load(1, 1) };
        let mut rounds = Rounds::default();
        assert_eq!([rounds.note(&modify), rounds.note(&modify)], [None, Some(1)]);
        rounds.end();
        for _ in 0..4 {
            rounds.touch(0x40, 0, 1);
            assert_eq!(rounds.note(&modify), None);
        }
    }
}
