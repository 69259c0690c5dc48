//! Sync records: one operation with its stamp.

use super::{Input, MAX_RECORD, WireError, put, unzigzag, zigzag};
use crate::event::Op;
use crate::{LockClass, Order, Patience};

impl Op {
    /// Is the record followed by a detail byte?
    pub const fn has_detail(self) -> bool {
        matches!(self, Self::AtomicLoad | Self::AtomicStore | Self::AtomicRmw | Self::AtomicCasFailed)
    }
}

/// The detail of an atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Detail {
    /// Width in bytes: 1, 2, 4, 8 or 16.
    pub size: u8,
    /// Memory order, as the compilers number them.
    pub order: u8,
    /// The value a read-modify-write wrote.
    pub new: u64,
    /// Upper halves of the values of a 16-byte operation: read or stored, and written by a read-modify-write.
    pub high: [u64; 2],
}

impl Detail {
    /// Its memory order.
    pub const fn order(self) -> Order {
        Order::from_abi(self.order as u32)
    }
}

/// The argument of lock operations: what the lock is and how it was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LockArg {
    /// What it is.
    pub class: LockClass,
    /// How it was asked for.
    pub patience: Patience,
    /// Its owner died holding it (robust mutexes): this acquisition took over.
    pub owner_died: bool,
}

impl LockArg {
    /// A blocking operation on a lock of this class.
    pub const fn blocking(class: LockClass) -> Self {
        Self { class, patience: Patience::Blocking, owner_died: false }
    }

    /// As the argument of a record; a plain mutex's blocking lock is zero.
    pub const fn encode(self) -> u64 {
        self.class as u64 | (self.patience as u64) << 4 | (self.owner_died as u64) << 6
    }

    /// The code of the class in the argument of a record.
    pub const fn class_code(arg: u64) -> u8 {
        (arg & 0xf) as u8
    }

    /// From the argument of a record.
    pub fn decode(arg: u64) -> Option<Self> {
        Some(Self {
            class: LockClass::from_code(Self::class_code(arg))?,
            patience: Patience::from_code(arg >> 4 & 3)?,
            owner_died: match arg >> 6 {
                0 => false,
                1 => true,
                _ => return None,
            },
        })
    }
}

/// One operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sync {
    /// Which operation.
    pub op: Op,
    /// When it happened.
    pub stamp: u64,
    /// The return address of the call.
    pub pc: u64,
    /// The address of its object; zero where there is none.
    pub object: u64,
    /// See [`Op`].
    pub arg: u64,
    /// For the operations that have one.
    pub detail: Detail,
}

/// The object of an `Op::CustomArg` record whose argument is a number.
pub const ARG_NUMBER: u64 = 0;
/// The object of an `Op::CustomArg` record whose argument names a text of the file `strings`.
pub const ARG_TEXT: u64 = 1;

/// What the next sync record's differences are taken from.
#[derive(Clone, Copy, Default, Debug)]
pub struct SyncCursor {
    stamp: u64,
    pc: u64,
    object: u64,
}

/// In the first byte of a record: the operation also reads the first byte of its object.
pub(super) const READS_OBJECT: u8 = 0x40;

/// The first byte of an operation's record: which operation it is, and whether it reads the first byte of its object, as an
/// unlock does.
#[derive(Clone, Copy)]
pub struct Head(u8);

impl Head {
    /// The head of an operation that reads its object, or does not.
    #[inline]
    pub const fn new(op: Op, reads: bool) -> Self {
        Self(op as u8 | if reads { READS_OBJECT } else { 0 })
    }

    /// How many records a reader makes of it: a read of the object is one of its own.
    #[inline]
    pub const fn records(self) -> u32 {
        1 + (self.0 & READS_OBJECT != 0) as u32
    }
}

/// How many bytes each length code stands for.
const LENGTHS: [usize; 4] = [0, 1, 3, 8];

#[inline]
const fn code(value: u64) -> u8 {
    (value != 0) as u8 + (value > 0xff) as u8 + (value > 0xff_ffff) as u8
}

impl SyncCursor {
    pub(super) const fn new() -> Self {
        Self { stamp: 0, pc: 0, object: 0 }
    }

    #[inline]
    pub(super) fn encode(&mut self, out: &mut [u8; MAX_RECORD], record: &Sync) -> usize {
        let head = Head::new(record.op, false);
        let at = self.encode_short(out, head, record.stamp, record.pc, record.object, record.arg);
        if record.op.has_detail() { encode_detail(out, at, record) } else { at }
    }

    /// Encodes an operation without a detail.
    #[inline]
    pub(super) fn encode_short(
        &mut self,
        out: &mut [u8; MAX_RECORD],
        head: Head,
        stamp: u64,
        pc: u64,
        object: u64,
        arg: u64,
    ) -> usize {
        let moved = [zigzag(pc.wrapping_sub(self.pc)), zigzag(object.wrapping_sub(self.object))];
        let fields = [stamp.wrapping_sub(self.stamp), moved[0], moved[1], arg];
        (self.stamp, self.pc, self.object) = (stamp, pc, object);
        out[0] = head.0;
        let mut lengths = 0;
        let mut at = 2;
        for (index, field) in fields.into_iter().enumerate() {
            let code = code(field);
            // It is less than 32 anyway; this way, no other check is needed.
            put(out, at & 31, field);
            at += LENGTHS[code as usize];
            lengths |= code << (2 * index);
        }
        out[1] = lengths;
        at
    }

    /// Decodes a record, and whether the operation reads its object.
    pub(super) fn decode(&mut self, input: &mut Input<'_>) -> Result<(Sync, bool), WireError> {
        let first = input.take(1)? as u8;
        let op = Op::from_code(first & !READS_OBJECT).ok_or(WireError::UnknownOp(first))?;
        let lengths = input.take(1)? as usize;
        let mut field = |index: usize| input.take(LENGTHS[lengths >> (2 * index) & 3]);
        let (stamp, pc, object, arg) = (field(0)?, field(1)?, field(2)?, field(3)?);
        let detail = if op.has_detail() { decode_detail(input, op)? } else { Detail::default() };
        self.stamp = self.stamp.wrapping_add(stamp);
        self.pc = self.pc.wrapping_add(unzigzag(pc));
        self.object = self.object.wrapping_add(unzigzag(object));
        let sync = Sync { op, stamp: self.stamp, pc: self.pc, object: self.object, arg, detail };
        Ok((sync, first & READS_OBJECT != 0))
    }
}

fn encode_detail(out: &mut [u8; MAX_RECORD], mut at: usize, record: &Sync) -> usize {
    let detail = record.detail;
    let wide = detail.size == 16;
    out[at] = detail.size.trailing_zeros() as u8 | detail.order << 4;
    at += 1;
    if record.op == Op::AtomicRmw {
        put(out, at, detail.new);
        at += 8;
    }
    if wide {
        put(out, at, detail.high[0]);
        at += 8;
        if record.op == Op::AtomicRmw {
            put(out, at, detail.high[1]);
            at += 8;
        }
    }
    at
}

fn decode_detail(input: &mut Input<'_>, op: Op) -> Result<Detail, WireError> {
    let byte = input.take(1)? as u8;
    let (size, order) = (byte & 0xf, byte >> 4);
    if size > 4 {
        return Err(WireError::BadField("size of an atomic operation"));
    }
    if order > 5 {
        return Err(WireError::BadField("memory order"));
    }
    let rmw = op == Op::AtomicRmw;
    let mut detail = Detail { size: 1 << size, order, ..Detail::default() };
    if rmw {
        detail.new = input.take(8)?;
    }
    if detail.size == 16 {
        detail.high[0] = input.take(8)?;
        if rmw {
            detail.high[1] = input.take(8)?;
        }
    }
    Ok(detail)
}
