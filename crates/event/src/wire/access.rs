//! Access records: one 64-byte line with the bytes read and written in a segment.

use super::{Input, MAX_RECORD, Op, Sync, WireError, put, unzigzag, zigzag};

/// The mask of a whole line.
pub const RUN_ALL: u64 = u64::MAX;

/// The accesses of one segment to one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// Address of the line divided by 64.
    pub line: u64,
    /// One bit a byte read.
    pub reads: u64,
    /// One bit a byte written.
    pub writes: u64,
    /// The return address of the first hook that saw the line; zero if unknown.
    pub pc: u64,
}

impl Access {
    /// The read of the first byte of an operation's object.
    pub(super) const fn to_object(of: &Sync) -> Self {
        Self { line: of.object / 64, reads: 1 << (of.object % 64), writes: 0, pc: of.pc }
    }
}

/// The values that the next access record's differences are taken from.
#[derive(Clone, Copy, Default, Debug)]
pub struct AccessCursor {
    line: u64,
    pc: u64,
}

/// Smaller differences of the pc take two bytes; this bit says that two more follow.
const NEAR_PC: u64 = 1 << 15;
/// Differences from this on take a separate record.
const FAR_PC: u64 = 1 << 31;

const NONE: u8 = 0;
const RUN: u8 = 1;
const ANY: u8 = 2;
const SPECIAL: u8 = 3;

/// The mask as one run of set bits, packed as `start | (length - 1) << 6`; none if the mask has holes.
#[inline]
const fn run(mask: u64) -> Option<u64> {
    let start = mask.trailing_zeros() as u64;
    let shifted = mask >> start;
    if shifted & shifted.wrapping_add(1) == 0 { Some(start | (shifted.trailing_ones() as u64 - 1) << 6) } else { None }
}

const fn unrun(code: u64) -> Result<u64, WireError> {
    let (start, length) = (code & 63, (code >> 6 & 63) + 1);
    if start + length > 64 || code >> 12 != 0 {
        return Err(WireError::BadField("run of bytes"));
    }
    Ok((u64::MAX >> (64 - length)) << start)
}

impl AccessCursor {
    pub(super) const fn new() -> Self {
        Self { line: 0, pc: 0 }
    }

    pub(super) fn set_pc(&mut self, pc: u64) {
        self.pc = pc;
    }

    #[inline]
    pub(super) fn encode(&mut self, out: &mut [u8; MAX_RECORD], record: &Access) -> usize {
        let step = zigzag(record.pc.wrapping_sub(self.pc));
        let mut start = 0;
        if step >= FAR_PC {
            start = encode_pc(out, record.pc);
        }
        let has_pc = start == 0 && step != 0;
        self.pc = record.pc;
        let (distance, distance_len, distance_code) = line_code(record.line.wrapping_sub(self.line));
        self.line = record.line;

        let mut at = start + 1;
        put(out, at, distance);
        at += distance_len;
        if has_pc {
            let near = step < NEAR_PC;
            put(out, at, if near { step } else { step & (NEAR_PC - 1) | NEAR_PC | (step & !(NEAR_PC - 1)) << 1 });
            at += if near { 2 } else { 4 };
        }
        let reads = put_mask(out, &mut at, record.reads, (record.reads == RUN_ALL).then_some(SPECIAL));
        let same = (record.writes == record.reads && record.writes != 0).then_some(SPECIAL);
        let writes = put_mask(out, &mut at, record.writes, same);
        out[start] = 0x80 | reads << 5 | writes << 3 | distance_code << 1 | has_pc as u8;
        at
    }

    #[inline]
    pub(super) fn decode(&mut self, input: &mut Input<'_>) -> Result<Access, WireError> {
        let head = input.take(1)? as u8;
        let step = match head >> 1 & 3 {
            0 => 1,
            1 => unzigzag(input.take(1)?),
            2 => unzigzag(input.take(3)?),
            _ => unzigzag(input.take(8)?),
        };
        let moved = if head & 1 != 0 { unzigzag(take_pc(input)?) } else { 0 };
        let reads = take_mask(input, head >> 5 & 3, RUN_ALL)?;
        let writes = take_mask(input, head >> 3 & 3, reads)?;
        let line = self.line.wrapping_add(step);
        if line >> 58 != 0 {
            return Err(WireError::BadField("line"));
        }
        // Only now: a record that is cut off is decoded once more when the rest of it has been read.
        (self.line, self.pc) = (line, self.pc.wrapping_add(moved));
        Ok(Access { line: self.line, reads, writes, pc: self.pc })
    }
}

#[inline]
fn take_pc(input: &mut Input<'_>) -> Result<u64, WireError> {
    let low = input.take(2)?;
    if low < NEAR_PC {
        return Ok(low);
    }
    Ok(low & (NEAR_PC - 1) | input.take(2)? << 15)
}

/// A separate record for a pc that is too far from the last.
fn encode_pc(out: &mut [u8; MAX_RECORD], pc: u64) -> usize {
    let record = Sync { op: Op::AccessPc, stamp: 0, pc: 0, object: 0, arg: pc, detail: super::Detail::default() };
    super::SyncCursor::new().encode(out, &record)
}

#[inline]
fn line_code(delta: u64) -> (u64, usize, u8) {
    let step = zigzag(delta);
    match step {
        2 => (0, 0, 0),
        0..=0xff => (step, 1, 1),
        0x100..=0xff_ffff => (step, 3, 2),
        _ => (step, 8, 3),
    }
}

#[inline]
fn put_mask(out: &mut [u8; MAX_RECORD], at: &mut usize, mask: u64, special: Option<u8>) -> u8 {
    if mask == 0 {
        return NONE;
    }
    if let Some(code) = special {
        return code;
    }
    if let Some(code) = run(mask) {
        put(out, *at, code);
        *at += 2;
        return RUN;
    }
    put(out, *at, mask);
    *at += 8;
    ANY
}

#[inline]
fn take_mask(input: &mut Input<'_>, form: u8, special: u64) -> Result<u64, WireError> {
    match form {
        NONE => Ok(0),
        RUN => unrun(input.take(2)?),
        ANY => input.take(8),
        _ => Ok(special),
    }
}
