//! What threads of an explored program do between their steps: two files beside those of [`channel`](crate::channel).
//!
//! **`notes`** is there if the tool wants notes. It consists of words of eight bytes, little-endian: how many notes there are,
//! whether some were lost, and from [`FIRST`] on the notes, [`NOTE_WORDS`] each ([`NoteRecord`]).
//!
//! **`branches`** is the table that the program was compiled with: for each entry its address, and then its words, the first of
//! which says how many they are. See `foretrace-llvm`, which writes the table.
//!
//! Both may have been overwritten by the program: whoever reads them checks every number.

/// The most notes of an execution.
pub const MOST_NOTES: usize = 1 << 16;
/// Words of a note.
pub const NOTE_WORDS: usize = 5;
/// Where notes begin, in words.
pub const FIRST: usize = 8;
/// Words of the whole file.
pub const WORDS: usize = FIRST + MOST_NOTES * NOTE_WORDS;
/// The most words of an entry of the table.
pub const MOST_ENTRY: usize = 1 << 12;
/// How many values a branch hands over.
pub const SLOTS: usize = 3;

/// What a note says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// A side of a branch is entered: the address of the entry, and the values that it stands for.
    Enter {
        /// The entry.
        entry: u64,
        /// The values.
        slots: [u64; SLOTS],
    },
    /// Sides of branches meet: the number of the place.
    Join(u64),
    /// Memory is accessed.
    Access {
        /// Where.
        address: u64,
        /// How many bytes.
        size: u32,
        /// Does it write?
        writes: bool,
        /// Does it read?
        reads: bool,
        /// What it may be with other values.
        reach: Reach,
        /// What it reads goes nowhere but back to the same memory.
        quiet: bool,
    },
    /// The next step may be about another object with other values.
    Moves,
    /// From here on addresses may be others with other values.
    Unsure,
    /// Nothing is known about what is done.
    Unknown,
}

/// What an access may be to with other values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The same memory.
    Same,
    /// So many bytes from an address on.
    Within(u64, u64),
    /// Anything.
    Anything,
}

/// A note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoteRecord {
    /// Who.
    pub thread: u16,
    /// Before which step.
    pub before: u32,
    /// What.
    pub said: Said,
}

impl NoteRecord {
    /// As the file has it.
    pub const fn words(&self) -> [u64; NOTE_WORDS] {
        let (kind, rest) = match self.said {
            Said::Enter { entry, slots: [a, b, c] } => (1, [entry, a, b, c]),
            Said::Join(place) => (2, [place, 0, 0, 0]),
            Said::Access { address, size, writes, reads, reach, quiet } => {
                let (reach, from, bytes) = match reach {
                    Reach::Same => (0, 0, 0),
                    Reach::Within(from, bytes) => (1, from, bytes),
                    Reach::Anything => (2, 0, 0),
                };
                let what =
                    size as u64 | (writes as u64) << 32 | (reads as u64) << 33 | reach << 34 | (quiet as u64) << 36;
                (3, [address, what, from, bytes])
            }
            Said::Moves => (4, [0; 4]),
            Said::Unsure => (5, [0; 4]),
            Said::Unknown => (6, [0; 4]),
        };
        [self.thread as u64 | kind << 16 | (self.before as u64) << 32, rest[0], rest[1], rest[2], rest[3]]
    }

    /// From words; none if they are malformed.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let [head, a, b, c, d] = *words.first_chunk()?;
        let said = match head >> 16 & 0xffff {
            1 => Said::Enter { entry: a, slots: [b, c, d] },
            2 => Said::Join(a),
            3 => {
                let reach = match b >> 34 & 3 {
                    0 => Reach::Same,
                    1 => Reach::Within(c, d),
                    2 => Reach::Anything,
                    _ => return None,
                };
                Said::Access {
                    address: a,
                    size: b as u32,
                    writes: b >> 32 & 1 == 1,
                    reads: b >> 33 & 1 == 1,
                    reach,
                    quiet: b >> 36 & 1 == 1,
                }
            }
            4 => Said::Moves,
            5 => Said::Unsure,
            6 => Said::Unknown,
            _ => return None,
        };
        Some(Self { thread: head as u16, before: (head >> 32) as u32, said })
    }
}

/// What the program says before accesses and calls: `__foretrace_hint` has it as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Hint {
    /// Nothing is said.
    Nothing,
    /// The next access is to this memory in any case; with a size of 1, what it reads goes nowhere but back to it.
    Here,
    /// It is within so many bytes from an address on.
    Within,
    /// So are all accesses and operations of the call that follows.
    CallHere,
    /// They are within so many bytes from an address on.
    CallWithin,
    /// A function of another module is called, which may be one that says nothing.
    Outside,
    /// The arguments of a call may point to something else.
    Unsure,
    /// Nothing is known about the function.
    Unknown,
    /// A known function is called; what it accesses is not said.
    Call,
}

impl Hint {
    /// From its number.
    pub const fn from_number(number: u64) -> Self {
        match number {
            1 => Self::Here,
            2 => Self::Within,
            3 => Self::CallHere,
            4 => Self::CallWithin,
            5 => Self::Outside,
            6 => Self::Unsure,
            7 => Self::Unknown,
            8 => Self::Call,
            _ => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_from_their_words() {
        let access = |reach| Said::Access { address: 64, size: 4, writes: true, reads: false, reach, quiet: true };
        let all = [
            Said::Enter { entry: 1 << 40, slots: [1, 2, 3] },
            Said::Join(7),
            access(Reach::Same),
            access(Reach::Within(60, 40)),
            access(Reach::Anything),
            Said::Moves,
            Said::Unsure,
            Said::Unknown,
        ];
        for said in all {
            let note = NoteRecord { thread: 3, before: 9, said };
            assert_eq!(NoteRecord::from_words(&note.words()), Some(note));
        }
        assert_eq!(NoteRecord::from_words(&[0xff << 16, 0, 0, 0, 0]), None);
        assert_eq!(NoteRecord::from_words(&[3 << 16, 0, 3 << 34, 0, 0]), None);
    }
}
