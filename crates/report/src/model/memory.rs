//! The memory that an error is about.

use super::frame::{Frame, top};
use serde::{Deserialize, Serialize};

/// What a race is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The variable's name, if it is known.
    pub name: Option<String>,
    /// The function whose local variable it is, if it is one.
    pub function: Option<String>,
    /// What it is part of.
    pub origin: Origin,
    /// The first byte both touch, in the run that failed.
    pub address: u64,
    /// How many bytes both touch, at most.
    pub size: u64,
    /// One of the two ends the block.
    pub freed: bool,
    /// Both do.
    #[serde(default)]
    pub freed_twice: bool,
}

/// What memory is part of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Nothing that is known.
    Unknown,
    /// The variables of the program or of a library.
    Global,
    /// A block that was allocated.
    Heap(Block),
    /// A block that was mapped.
    Mapped(Block),
    /// The stack of the thread with this name.
    Stack(String),
    /// The thread-local variables of the thread with this name.
    ThreadLocal(String),
}

/// A block of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its first byte, in the run that failed.
    pub address: u64,
    /// How many bytes the program asked for.
    pub size: u64,
    /// The name of the thread that did.
    pub thread: String,
    /// Where that was: calls, the innermost first.
    pub allocated: Vec<Frame>,
}

impl Block {
    /// Where it was allocated, for people.
    pub fn place(&self) -> Option<&Frame> {
        top(&self.allocated).filter(|frame| frame.file.is_some())
    }
}

impl Memory {
    /// What it is called when two accesses of this memory race.
    pub(crate) fn error(&self) -> &'static str {
        match self.origin {
            Origin::Heap(_) if self.freed_twice => "double free",
            Origin::Heap(_) if self.freed => "use after free",
            _ => "data race",
        }
    }
}

impl Origin {
    /// What it is, after "data race".
    pub(crate) fn within(&self) -> String {
        match self {
            Self::Unknown | Self::Global => String::new(),
            Self::Heap(block) => format!(" in a heap block of {}", bytes(block.size)),
            Self::Mapped(block) => format!(" in mapped memory of {}", bytes(block.size)),
            Self::Stack(thread) => format!(" on the stack of {thread}"),
            Self::ThreadLocal(thread) => format!(" on a thread-local variable of {thread}"),
        }
    }

    /// The block, if it is one.
    pub fn block(&self) -> Option<&Block> {
        match self {
            Self::Heap(block) | Self::Mapped(block) => Some(block),
            _ => None,
        }
    }
}

/// So many bytes, in words.
pub fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
