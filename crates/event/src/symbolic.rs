//! What a followed run leaves: which values depend on what other threads write, and what the run's path required of them.
//!
//! A *followed* run is a controlled run of a program that was compiled with `--symbolic`. Its directory has the file
//! `symbolic`, which the tool creates and the runtime fills. It consists of [`RECORD_WORDS`] words of eight bytes a
//! record, little-endian. The place of the first record is the header ([`MAGIC`], the number of records with the
//! header, [`flags`]). The records after it are in the order in which things happened.
//!
//! An *expression* is a [`Record::Node`], named by its number in the file; 0 is no expression, that is, a value that
//! depends on no visible location. Operands come before the nodes that use them. Equal nodes are written once, as far
//! as the runtime remembers them.
//!
//! The program may have overwritten the file: whoever reads it checks every number.

/// The first word.
pub const MAGIC: u64 = u64::from_le_bytes(*b"FTSYMB\x01\n");
/// Words of a record.
pub const RECORD_WORDS: usize = 4;
/// The most records, the header included.
pub const MOST_RECORDS: usize = 1 << 19;

/// What the header says besides.
pub mod flags {
    /// There was no room for all records: the rest of the run was not followed.
    pub const FULL: u64 = 1;
    /// Some values in memory were forgotten: there was no room for them.
    pub const FORGOTTEN: u64 = 2;
}

macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every one, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// From its number.
            pub fn from_number(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }
        }
    };
}

numbered! {
    /// What a node computes. Comparisons have one bit; all other operations have the width of their node.
    NodeOp {
        /// A number.
        Constant,
        /// What an access has read: the first operand is the [`Record::Access`].
        Read,
        /// Sum.
        Add,
        /// Difference.
        Sub,
        /// Product.
        Mul,
        /// Quotient of unsigned numbers.
        UnsignedDiv,
        /// Quotient of signed numbers.
        SignedDiv,
        /// Remainder of unsigned numbers.
        UnsignedRem,
        /// Remainder of signed numbers.
        SignedRem,
        /// Each bit that both have.
        And,
        /// Each bit that one of them has.
        Or,
        /// Each bit that exactly one of them has.
        Xor,
        /// Shifted left.
        ShiftLeft,
        /// Shifted right, with zeros.
        LogicalShiftRight,
        /// Shifted right, with copies of the sign.
        ArithmeticShiftRight,
        /// Are they equal?
        Equal,
        /// Are they different?
        NotEqual,
        /// Less, unsigned.
        UnsignedLess,
        /// Less or equal, unsigned.
        UnsignedLessEqual,
        /// Less, signed.
        SignedLess,
        /// Less or equal, signed.
        SignedLessEqual,
        /// Wider, with zeros.
        ZeroExtend,
        /// Wider, with copies of the sign.
        SignExtend,
        /// Bits from the one whose number is the constant.
        Extract,
        /// The first operand above the second.
        Concat,
        /// The second operand if the first is one, else the third.
        Select,
    }
}

numbered! {
    /// Why the program needs an expression to have a value.
    Why {
        /// A branch was taken.
        Branch,
        /// A case of a switch was chosen.
        Case,
        /// Memory was accessed at this address.
        Address,
        /// It went into floating point, a vector, or another instruction that is not followed.
        Instruction,
        /// It was passed to a function that is not instrumented.
        Call,
        /// Parts of several values were read as one, in a way that is not followed.
        Memory,
        /// An assertion must hold, or the program ends itself.
        Assertion,
        /// A pointer must not be null.
        NotNull,
        /// A divisor must not be zero.
        NotZero,
    }
}

impl Why {
    /// Must it hold, or the program fails? The others say which path the run took, and what was not followed.
    pub const fn is_check(self) -> bool {
        matches!(self, Self::Assertion | Self::NotNull | Self::NotZero)
    }

    /// Could the value not be followed further?
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Address | Self::Instruction | Self::Call | Self::Memory)
    }
}

/// A part of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it computes.
    pub op: NodeOp,
    /// Bits of its value, 1 to 64.
    pub width: u8,
    /// Its operands, by their numbers.
    pub operands: [u32; 3],
    /// The number, or where bits are taken from.
    pub constant: u64,
}

/// Which thread did something, and after how many visible steps of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The thread.
    pub thread: u16,
    /// Steps that all threads had taken before; an access belongs to the last of them.
    pub step: u32,
}

/// Some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// Where they are.
    pub address: u64,
    /// How many: 1 to 8.
    pub size: u8,
    /// What they hold, little-endian.
    pub value: u64,
}

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// An expression.
    Node(Node),
    /// What memory holds before an access; atomic operations announce themselves in this way.
    Initial(Moment, Bytes),
    /// Visible memory is read, and holds this value.
    Read(Moment, Bytes, u64),
    /// Visible memory is about to be written, and still holds this value. The number is the place in the program.
    Write(Moment, Bytes, u64),
    /// What a write has written; the number is the expression.
    Written(Moment, Bytes, u32),
    /// An expression must have a value; last comes the place in the program.
    Fact(Moment, Why, u32, u64, u64),
}

const NODE: u64 = 1;
const INITIAL: u64 = 2;
const READ: u64 = 3;
const WRITE: u64 = 4;
const WRITTEN: u64 = 5;
const FACT: u64 = 6;

const fn head(tag: u64, small: u8, moment: Moment) -> u64 {
    tag | (small as u64) << 8 | (moment.thread as u64) << 16 | (moment.step as u64) << 32
}

impl Record {
    /// As words.
    pub const fn words(self) -> [u64; RECORD_WORDS] {
        match self {
            Self::Node(Node { op, width, operands: [a, b, c], constant }) => {
                let first = NODE | (op as u64) << 8 | (width as u64) << 16 | (a as u64) << 32;
                [first, b as u64 | (c as u64) << 32, constant, 0]
            }
            Self::Initial(moment, bytes) => [head(INITIAL, bytes.size, moment), bytes.address, bytes.value, 0],
            Self::Read(moment, bytes, place) => [head(READ, bytes.size, moment), bytes.address, bytes.value, place],
            Self::Write(moment, bytes, place) => [head(WRITE, bytes.size, moment), bytes.address, bytes.value, place],
            Self::Written(moment, bytes, expression) => {
                [head(WRITTEN, bytes.size, moment), bytes.address, bytes.value, expression as u64]
            }
            Self::Fact(moment, why, expression, value, place) => {
                [head(FACT, why as u8, moment), expression as u64, value, place]
            }
        }
    }

    /// From words; none if they are malformed.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let [head, first, second, third]: [u64; RECORD_WORDS] = *words.first_chunk()?;
        let small = (head >> 8) as u8;
        let moment = Moment { thread: (head >> 16) as u16, step: (head >> 32) as u32 };
        let bytes = || {
            let bytes = Bytes { address: first, size: small, value: second };
            (1..=8).contains(&small).then_some(bytes)
        };
        Some(match head & 0xff {
            NODE => Self::Node(Node {
                op: NodeOp::from_number(small)?,
                width: Some((head >> 16) as u8).filter(|width| (1..=64).contains(width))?,
                operands: [(head >> 32) as u32, first as u32, (first >> 32) as u32],
                constant: second,
            }),
            INITIAL => Self::Initial(moment, bytes()?),
            READ => Self::Read(moment, bytes()?, third),
            WRITE => Self::Write(moment, bytes()?, third),
            WRITTEN => Self::Written(moment, bytes()?, u32::try_from(third).ok()?),
            FACT => Self::Fact(moment, Why::from_number(small)?, u32::try_from(first).ok()?, second, third),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_their_words() {
        let moment = Moment { thread: 513, step: 0xffff_fffe };
        let bytes = Bytes { address: u64::MAX - 7, size: 8, value: u64::MAX };
        let nodes = NodeOp::ALL
            .iter()
            .map(|op| Record::Node(Node { op: *op, width: 64, operands: [u32::MAX, 1, 2], constant: 9 }));
        let others = [
            Record::Initial(moment, bytes),
            Record::Read(moment, bytes, 7),
            Record::Write(moment, Bytes { size: 1, ..bytes }, u64::MAX),
            Record::Written(moment, bytes, u32::MAX),
            Record::Fact(moment, Why::NotZero, u32::MAX, 5, 6),
            Record::Fact(moment, Why::Branch, 1, 1, 0),
        ];
        for record in others.into_iter().chain(nodes) {
            assert_eq!(Record::from_words(&record.words()), Some(record));
        }
    }

    #[test]
    fn malformed_words_are_no_records() {
        for words in [[0; 4], [7, 0, 0, 0], [NODE, 0, 0, 0], [NODE | 0xff00 | 1 << 16, 0, 0, 0], [READ, 0, 0, 0]] {
            assert_eq!(Record::from_words(&words), None, "{words:?}");
        }
        assert_eq!(Record::from_words(&[READ | 9 << 8, 0, 0, 0]), None);
        assert_eq!(Record::from_words(&[FACT, u64::MAX, 0, 0]), None);
    }
}
