//! Classes of locks, and how they are asked for.

/// The class of a lock. All classes are locked and unlocked; they differ in who may lock again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum LockClass {
    /// A mutex: if its owner locks it again, the owner blocks for ever.
    #[default]
    Mutex = 0,
    /// A mutex that its owner may lock again.
    Recursive = 1,
    /// A mutex that reports misuse by an error code: relocking fails instead of blocking.
    ErrorChecking = 2,
    /// A reader-writer lock.
    RwLock = 3,
    /// A spin lock.
    Spin = 4,
    /// The lock of a stdio stream (`flockfile`), recursive.
    Stream = 5,
    /// A lock of the program's own, known from annotations.
    Annotated = 6,
}

impl LockClass {
    /// From its wire code.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Mutex,
            1 => Self::Recursive,
            2 => Self::ErrorChecking,
            3 => Self::RwLock,
            4 => Self::Spin,
            5 => Self::Stream,
            6 => Self::Annotated,
            _ => return None,
        })
    }

    /// May the owner lock it again?
    pub const fn is_recursive(self) -> bool {
        matches!(self, Self::Recursive | Self::Stream)
    }

    /// May several threads hold it at once, for reading?
    pub const fn may_be_shared(self) -> bool {
        matches!(self, Self::RwLock | Self::Annotated)
    }

    /// Its name in text traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::Recursive => "recursive",
            Self::ErrorChecking => "errorcheck",
            Self::RwLock => "rwlock",
            Self::Spin => "spin",
            Self::Stream => "stream",
            Self::Annotated => "annotated",
        }
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        (0..7).filter_map(Self::from_code).find(|class| class.name() == name)
    }
}

/// Whether a wait is known to check its condition first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Check {
    /// Nothing is known.
    #[default]
    Unknown,
    /// The wait is in a loop that checks a condition under the lock: `while (!ready) wait`.
    InLoop,
}

impl Check {
    /// The bit that says it in the argument of a wait on the wire, beside the address of the lock.
    pub const BIT: u64 = 1;

    /// From the argument of a wait on the wire.
    pub const fn of_arg(arg: u64) -> Self {
        if arg & Self::BIT == 0 { Self::Unknown } else { Self::InLoop }
    }
}

/// How an operation asked for what it got. One that blocks cannot fail; the others can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Patience {
    /// Waits as long as it takes.
    #[default]
    Blocking,
    /// A try operation: it does not wait.
    Try,
    /// Waits until a deadline.
    Timed,
}

impl Patience {
    /// Its name in text traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Try => "try",
            Self::Timed => "timed",
        }
    }

    /// From its number on the wire.
    pub const fn from_code(code: u64) -> Option<Self> {
        Some(match code {
            0 => Self::Blocking,
            1 => Self::Try,
            2 => Self::Timed,
            _ => return None,
        })
    }
}
