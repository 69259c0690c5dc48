//! Random runs: a few threads that touch a few lines, allocate, free, and use atomics.

use std::io::{self, Cursor};

use foretrace_event::wire::{Access, Detail, Op, Sync};
use foretrace_testkit::Random;
use foretrace_trace::RecordingWriter;

/// The memory the runs use: a few lines from here.
pub const BASE: u64 = 0x10000;
const LINES: u32 = 4;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    Start,
    Fork(u32),
    /// Ends its segment.
    Sync,
    Access {
        line: u64,
        reads: u64,
        writes: u64,
    },
    Alloc {
        start: u64,
        end: u64,
    },
    Free {
        start: u64,
        end: u64,
    },
    Atomic {
        address: u64,
        store: bool,
    },
}

/// A run: the main thread starts and creates the others, then these acts.
#[derive(Clone, Debug)]
pub struct Run {
    pub threads: u32,
    pub acts: Vec<(u32, Act)>,
}

/// Width of all atomic variables.
pub const ATOMIC: u64 = 4;

impl Run {
    pub fn random(random: &mut Random) -> Self {
        let threads = 2 + random.below(3);
        let count = 2 + random.below(30);
        Self { threads, acts: (0..count).map(|_| (random.below(threads), act(random))).collect() }
    }

    /// The bytes of its recording.
    pub fn record(&self) -> Vec<u8> {
        let mut writer = RecordingWriter::new(Cursor::new(Vec::new()), 512).expect("memory takes all writes");
        let mut put = |thread: u32, act: Act| self.put(&mut writer, thread, act).expect("memory takes all writes");
        put(0, Act::Start);
        (1..self.threads).for_each(|thread| put(0, Act::Fork(thread)));
        (1..self.threads).for_each(|thread| put(thread, Act::Start));
        self.acts.iter().for_each(|(thread, act)| put(*thread, *act));
        writer.finish().expect("memory takes all writes").into_inner()
    }

    fn put(&self, writer: &mut RecordingWriter<Cursor<Vec<u8>>>, thread: u32, act: Act) -> io::Result<()> {
        let (op, object, arg) = match act {
            Act::Start => (Op::Start, 0, 0),
            Act::Fork(child) => (Op::Fork, 0, child.into()),
            Act::Sync => (Op::Release, 0x99, 0),
            Act::Alloc { start, end } => (Op::Alloc, start, end - start),
            Act::Free { start, end } => (Op::Free, start, end - start),
            Act::Atomic { address, store: true } => (Op::AtomicStore, address, 1),
            Act::Atomic { address, store: false } => (Op::AtomicLoad, address, 1),
            Act::Access { line, reads, writes } => {
                return writer.access(thread, &Access { line, reads, writes, pc: 9 });
            }
        };
        let detail = Detail { size: ATOMIC as u8, order: 5, ..Detail::default() };
        let stamp = writer.stamp();
        writer.sync(thread, &Sync { op, stamp, pc: 7, object, arg, detail })
    }
}

fn act(random: &mut Random) -> Act {
    match random.below(12) {
        0..=1 => Act::Sync,
        2 => {
            let (start, end) = range(random);
            Act::Alloc { start, end }
        }
        3 => {
            let (start, end) = range(random);
            Act::Free { start, end }
        }
        4 => Act::Atomic { address: BASE + ATOMIC * u64::from(random.below(16 * LINES)), store: random.one_in(2) },
        _ => {
            let line = BASE / 64 + u64::from(random.below(LINES));
            Act::Access { line, reads: mask(random), writes: if random.one_in(2) { mask(random) } else { 0 } }
        }
    }
}

fn range(random: &mut Random) -> (u64, u64) {
    let unit = *random.choose(&[1, 8, 64]);
    let count = LINES * 64 / unit;
    let first = random.below(count);
    let last = first + 1 + random.below(count - first);
    (BASE + u64::from(first * unit), BASE + u64::from(last * unit))
}

/// Whole lines, words, and any bytes.
fn mask(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => u64::MAX,
        1 => 0xff << (8 * random.below(8)),
        2 => random.word(),
        _ => 0,
    }
}
