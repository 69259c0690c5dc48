//! Programs of the tiny language.

use std::ops;

/// A register of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reg(pub u8);

/// A value computed from registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// A register's value.
    Reg(Reg),
    /// The sum.
    Add(Box<(Expr, Expr)>),
    /// The product.
    Mul(Box<(Expr, Expr)>),
    /// The remainder; 0 if the divisor is.
    Rem(Box<(Expr, Expr)>),
    /// 1 if both are equal, else 0.
    Eq(Box<(Expr, Expr)>),
    /// 1 if the first is less, else 0.
    Less(Box<(Expr, Expr)>),
}

impl Expr {
    /// Its value.
    pub fn value(&self, registers: &[i64]) -> i64 {
        let both = |pair: &(Self, Self)| (pair.0.value(registers), pair.1.value(registers));
        match self {
            Self::Const(value) => *value,
            Self::Reg(register) => registers[usize::from(register.0)],
            Self::Add(pair) => both(pair).0.wrapping_add(both(pair).1),
            Self::Mul(pair) => both(pair).0.wrapping_mul(both(pair).1),
            Self::Rem(pair) => both(pair).0.checked_rem(both(pair).1).unwrap_or(0),
            Self::Eq(pair) => i64::from(both(pair).0 == both(pair).1),
            Self::Less(pair) => i64::from(both(pair).0 < both(pair).1),
        }
    }

    /// Does it depend on a register?
    pub fn mentions(&self, register: Reg) -> bool {
        match self {
            Self::Const(_) => false,
            Self::Reg(own) => *own == register,
            Self::Add(pair) | Self::Mul(pair) | Self::Rem(pair) | Self::Eq(pair) | Self::Less(pair) => {
                pair.0.mentions(register) || pair.1.mentions(register)
            }
        }
    }

    /// 1 if both are equal.
    pub fn is(self, other: impl Into<Self>) -> Self {
        Self::Eq(Box::new((self, other.into())))
    }

    /// 1 if this is less.
    pub fn less(self, other: impl Into<Self>) -> Self {
        Self::Less(Box::new((self, other.into())))
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::Const(value)
    }
}

impl From<Reg> for Expr {
    fn from(register: Reg) -> Self {
        Self::Reg(register)
    }
}

impl<T: Into<Expr>> ops::Add<T> for Expr {
    type Output = Self;
    fn add(self, other: T) -> Self {
        Self::Add(Box::new((self, other.into())))
    }
}

impl<T: Into<Expr>> ops::Mul<T> for Expr {
    type Output = Self;
    fn mul(self, other: T) -> Self {
        Self::Mul(Box::new((self, other.into())))
    }
}

impl<T: Into<Expr>> ops::Rem<T> for Expr {
    type Output = Self;
    fn rem(self, other: T) -> Self {
        Self::Rem(Box::new((self, other.into())))
    }
}

/// A shared variable: a number, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place(pub Expr);

impl<T: Into<Expr>> From<T> for Place {
    fn from(number: T) -> Self {
        Self(number.into())
    }
}

/// An instruction. Objects of each kind (mutexes, semaphores, …) are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Takes a mutex, or a lock for writing.
    Lock(u32),
    /// Tries to; the register becomes 1 if that succeeds.
    TryLock(u32, Reg),
    /// Gives it back, also if it was taken for reading.
    Unlock(u32),
    /// Takes a lock for reading.
    ReadLock(u32),
    /// Tries to.
    TryReadLock(u32, Reg),
    /// Takes one from a semaphore.
    SemWait(u32),
    /// Tries to.
    SemTryWait(u32, Reg),
    /// Adds one.
    SemPost(u32),
    /// Reads the value.
    SemRead(u32, Reg),
    /// Waits on a condition with a mutex.
    Wait(u32, u32),
    /// The same with a time-out; the register becomes 1 if it was woken.
    TimedWait(u32, u32, Reg),
    /// Wakes one waiter.
    Signal(u32),
    /// Wakes all.
    Broadcast(u32),
    /// Waits at a barrier; the register becomes 1 in the serial thread.
    Barrier(u32, Reg),
    /// Begins an initialiser that was not run, else jumps to the instruction.
    OnceBegin(u32, usize),
    /// Ends it.
    OnceEnd(u32),
    /// Waits if the variable has the value; the register becomes 1 if it was woken.
    FutexWait(Reg, Place, Expr),
    /// Wakes one thread that waits for the variable.
    FutexWake(Place),
    /// Cancels a thread: it ends where it would wait for a condition, a semaphore or a thread.
    Cancel(u32),
    /// Creates a thread.
    Create(u32),
    /// Waits for its end.
    Join(u32),
    /// Tries to; the register becomes 1 if it has ended.
    TryJoin(u32, Reg),
    /// An atomic load.
    Load(Reg, Place),
    /// An atomic store.
    Store(Place, Expr),
    /// An atomic addition; the register becomes the old value.
    FetchAdd(Reg, Place, Expr),
    /// An atomic exchange.
    Swap(Reg, Place, Expr),
    /// If the variable has the first value, it gets the second; the register becomes the old value.
    Cas(Reg, Place, Expr, Expr),
    /// A plain read.
    Read(Reg, Place),
    /// A plain write.
    Write(Place, Expr),
    /// Waits until someone else writes the variable after the last step, which has read it.
    Spin(Place),
    /// Waits until someone else writes any variable after the first of so many steps.
    SpinRound(u64),
    /// Leaves the processor.
    Yield,
    /// Computes.
    Set(Reg, Expr),
    /// Jumps to an instruction if the value is not 0.
    JumpIf(Expr, usize),
    /// Ends the program as a failure if the value is 0.
    Assert(Expr),
    /// Ends the program.
    Exit(i32),
}

impl Instr {
    /// The register that it sets.
    pub fn sets(&self) -> Option<Reg> {
        match self {
            Self::TryLock(_, register) | Self::TryReadLock(_, register) | Self::SemTryWait(_, register) => {
                Some(*register)
            }
            Self::SemRead(_, register) | Self::TimedWait(_, _, register) | Self::Barrier(_, register) => {
                Some(*register)
            }
            Self::TryJoin(_, register) | Self::Load(register, _) | Self::FetchAdd(register, ..) => Some(*register),
            Self::FutexWait(register, ..) => Some(*register),
            Self::Swap(register, ..) | Self::Cas(register, ..) | Self::Read(register, _) | Self::Set(register, _) => {
                Some(*register)
            }
            _ => None,
        }
    }
}

/// A program. Threads that no other thread creates run from the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The instructions of each thread.
    pub threads: Vec<Vec<Instr>>,
    /// The variables' values at the start.
    pub variables: Vec<i64>,
    /// The semaphores' values at the start.
    pub semaphores: Vec<u64>,
    /// How many threads each barrier waits for.
    pub barriers: Vec<u32>,
    /// Whether plain accesses are visible, or only watched.
    pub plain_visible: bool,
}

impl Program {
    /// A program with so many variables, all 0, whose plain accesses are visible.
    pub fn new(variables: usize, threads: Vec<Vec<Instr>>) -> Self {
        Self { threads, variables: vec![0; variables], plain_visible: true, ..Self::default() }
    }

    /// Is this thread created by another?
    pub fn is_created(&self, thread: u32) -> bool {
        self.threads.iter().flatten().any(|instr| *instr == Instr::Create(thread))
    }
}
