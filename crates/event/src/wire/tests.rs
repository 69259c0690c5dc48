extern crate std;
use super::*;
use crate::policy;
use std::vec::Vec;

struct Random(policy::Random);

impl Random {
    fn new(seed: u64) -> Self {
        Self(policy::Random::new(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// Numbers of all sizes, small ones and powers of two often.
    fn number(&mut self) -> u64 {
        let bits = self.next() % 65;
        if bits == 0 { 0 } else { self.next() >> (64 - bits) }
    }
}

fn any_sync(random: &mut Random) -> Sync {
    let op = loop {
        let any = Op::from_code(random.next() as u8);
        if let Some(op) = any.filter(|op| *op != Op::AccessPc) {
            break op;
        }
    };
    let mut detail = Detail::default();
    if op.has_detail() {
        detail.size = 1 << (random.next() % 5);
        detail.order = (random.next() % 6) as u8;
        if op == Op::AtomicRmw {
            detail.new = random.number();
        }
        if detail.size == 16 {
            detail.high[0] = random.number();
            detail.high[1] = if op == Op::AtomicRmw { random.number() } else { 0 };
        }
    }
    Sync { op, stamp: random.number(), pc: random.number(), object: random.number(), arg: random.number(), detail }
}

fn any_access(random: &mut Random, last: u64) -> Access {
    let masks = [0, u64::MAX, 0xff, 0xff00, 1 << 63, random.next(), random.number()];
    let mut mask = || masks[random.next() as usize % masks.len()];
    let (reads, writes) = (mask(), mask());
    let line = match random.next() % 4 {
        0 => last + 1,
        1 => last.saturating_sub(random.number() & 0xffff),
        _ => random.number() >> 6,
    };
    Access { line: line & (u64::MAX >> 6), reads, writes, pc: random.number() }
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let mut encoder = Encoder::new();
        let mut bytes = Vec::new();
        let mut records = Vec::new();
        let mut line = 0;
        for _ in 0..50 {
            let mut out = [0; MAX_RECORD];
            let (record, len) = if random.next().is_multiple_of(2) {
                let sync = any_sync(&mut random);
                let reads = !sync.op.has_detail() && random.next().is_multiple_of(2);
                if reads {
                    let (line, reads) = (sync.object / 64, 1 << (sync.object % 64));
                    records.push(Record::Access(Access { line, reads, writes: 0, pc: sync.pc }));
                }
                let len = if sync.op.has_detail() {
                    encoder.sync(&mut out, &sync)
                } else {
                    encoder.short(&mut out, Head::new(sync.op, reads), sync.stamp, sync.pc, sync.object, sync.arg)
                };
                (Record::Sync(sync), len)
            } else {
                let access = any_access(&mut random, line);
                line = access.line;
                (Record::Access(access), encoder.access(&mut out, &access))
            };
            bytes.extend_from_slice(&out[..len]);
            records.push(record);
        }
        let read: Result<Vec<_>, _> = Decoder::new(&bytes).collect();
        assert_eq!(read.expect("decodes"), records, "seed {seed}");
        // Stopped after any record, a reader goes on with the next.
        let mut mark = Mark::default();
        for record in &records {
            let mut decoder = Decoder::resume(&bytes, mark);
            assert_eq!(decoder.next(), Some(Ok(*record)), "seed {seed}");
            mark = decoder.mark();
        }
        // So does one whose bytes end anywhere, also within a record.
        let cut = random.next() as usize % bytes.len();
        let mut decoder = Decoder::new(&bytes[..cut]);
        let mut read: Vec<_> = decoder.by_ref().map_while(Result::ok).collect();
        let position = decoder.position();
        decoder.refill(&bytes[position..]);
        read.extend(decoder.map(|record| record.expect("decodes")));
        assert_eq!(read, records, "seed {seed}, cut at byte {cut}");
    }
}

#[test]
fn a_sequential_line_takes_one_byte_and_its_mask() {
    let mut encoder = Encoder::new();
    let mut out = [0; MAX_RECORD];
    encoder.access(&mut out, &Access { line: 1000, reads: RUN_ALL, writes: 0, pc: 0x1000 });
    assert_eq!(encoder.access(&mut out, &Access { line: 1001, reads: RUN_ALL, writes: 0, pc: 0x1000 }), 1);
    assert_eq!(encoder.access(&mut out, &Access { line: 1002, reads: 0xff, writes: 0, pc: 0x1000 }), 3);
    assert_eq!(encoder.access(&mut out, &Access { line: 1003, reads: 0xff, writes: 0xff, pc: 0x1000 }), 3);
}

#[test]
fn every_cut_and_every_flip_is_an_error_or_a_record() {
    let mut random = Random::new(7);
    let mut encoder = Encoder::new();
    let mut bytes = Vec::new();
    for _ in 0..200 {
        let mut out = [0; MAX_RECORD];
        let len = encoder.sync(&mut out, &any_sync(&mut random));
        bytes.extend_from_slice(&out[..len]);
    }
    for cut in 0..bytes.len() {
        let _ = Decoder::new(&bytes[..cut]).count();
    }
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let _ = Decoder::new(&bytes).count();
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn lock_arguments_round_trip() {
    for code in 0..256 {
        if let Some(arg) = LockArg::decode(code) {
            assert_eq!(arg.encode(), code);
        }
    }
    assert_eq!(LockArg::default().encode(), 0);
}
