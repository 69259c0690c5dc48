//! Programs that the field counts with, and textbook algorithms.

use super::program::{Expr, Instr, Place, Program, Reg};

fn reg(number: u8) -> Expr {
    Expr::Reg(Reg(number))
}

fn at(number: impl Into<Expr>) -> Place {
    Place(number.into())
}

fn jump(target: usize) -> Instr {
    Instr::JumpIf(Expr::Const(1), target)
}

/// Adds one to a plain variable, in two steps.
fn count(variable: i64) -> [Instr; 2] {
    [Instr::Read(Reg(7), at(variable)), Instr::Write(at(variable), reg(7) + 1)]
}

/// One writer and `n` readers of a variable: 2^n classes.
pub fn readers(n: usize) -> Program {
    let writer = vec![Instr::Store(at(0), Expr::Const(1))];
    let reader = vec![Instr::Load(Reg(0), at(0))];
    Program::new(1, std::iter::once(writer).chain(std::iter::repeat_n(reader, n)).collect())
}

/// Looks for the last zero of an array while `n` threads each set their element to its neighbour's plus one: (n+3)·2^(n−2)
/// classes.
pub fn lastzero(n: usize) -> Program {
    let search = vec![
        Instr::Set(Reg(0), Expr::Const(n as i64)),
        Instr::Load(Reg(1), at(Reg(0))),
        Instr::JumpIf(reg(1).is(0), 5),
        Instr::Set(Reg(0), reg(0) + -1),
        jump(1),
    ];
    let set = |i: i64| vec![Instr::Load(Reg(0), at(i - 1)), Instr::Store(at(i), reg(0) + 1)];
    Program::new(n + 1, std::iter::once(search).chain((1..=n as i64).map(set)).collect())
}

/// `n` threads insert four entries each into a hash table of 128 (Flanagan and Godefroid): 8^(n−11) classes from 11 on.
pub fn indexer(n: usize) -> Program {
    let thread = |tid: i64| {
        vec![
            Instr::Set(Reg(0), Expr::Const(0)),
            Instr::Set(Reg(0), reg(0) + 1),
            Instr::Set(Reg(1), reg(0) * 11 + tid),
            Instr::Set(Reg(2), reg(1) * 7 % 128),
            Instr::Cas(Reg(3), at(Reg(2)), Expr::Const(0), reg(1)),
            Instr::JumpIf(reg(3).is(0), 8),
            Instr::Set(Reg(2), (reg(2) + 1) % 128),
            jump(4),
            Instr::JumpIf(reg(0).less(4), 1),
        ]
    };
    Program::new(128, (0..n as i64).map(thread).collect())
}

/// Peterson's algorithm for two threads.
pub fn peterson() -> Program {
    let thread = |own: i64| {
        let other = 1 - own;
        let mut code = vec![
            Instr::Store(at(own), Expr::Const(1)),
            Instr::Store(at(2), Expr::Const(other)),
            Instr::Load(Reg(0), at(other)),
            Instr::JumpIf(reg(0).is(0), 8),
            Instr::Load(Reg(1), at(2)),
            Instr::JumpIf(reg(1).is(own), 8),
            Instr::SpinRound(2),
            jump(2),
        ];
        code.extend(count(3));
        code.push(Instr::Store(at(own), Expr::Const(0)));
        code
    };
    Program::new(4, vec![thread(0), thread(1)])
}

/// Dekker's algorithm for two threads.
pub fn dekker() -> Program {
    let thread = |own: i64| {
        let other = 1 - own;
        let mut code = vec![
            Instr::Store(at(own), Expr::Const(1)),
            Instr::Load(Reg(0), at(other)),
            Instr::JumpIf(reg(0).is(0), 13),
            Instr::Load(Reg(1), at(2)),
            Instr::JumpIf(reg(1).is(other), 7),
            Instr::SpinRound(2),
            jump(1),
            Instr::Store(at(own), Expr::Const(0)),
            Instr::Load(Reg(1), at(2)),
            Instr::JumpIf(reg(1).is(own), 12),
            Instr::Spin(at(2)),
            jump(8),
            jump(0),
        ];
        code.extend(count(3));
        code.extend([Instr::Store(at(2), Expr::Const(other)), Instr::Store(at(own), Expr::Const(0))]);
        code
    };
    Program::new(4, vec![thread(0), thread(1)])
}

/// A ticket lock, taken once by each of `n` threads.
pub fn ticket_lock(n: usize) -> Program {
    let mut code = vec![
        Instr::FetchAdd(Reg(0), at(0), Expr::Const(1)),
        Instr::Load(Reg(1), at(1)),
        Instr::JumpIf(reg(1).is(Reg(0)), 5),
        Instr::Spin(at(1)),
        jump(1),
    ];
    code.extend(count(2));
    code.push(Instr::Store(at(1), reg(0) + 1));
    Program::new(3, vec![code; n])
}

/// The queue lock of Mellor-Crummey and Scott, taken once by each of `n` threads.
pub fn mcs_lock(n: usize) -> Program {
    let thread = |own: i64| {
        let (locked, next, name) = (1 + own, 1 + n as i64 + own, Expr::Const(own + 1));
        let mut code = vec![
            Instr::Store(at(next), Expr::Const(0)),
            Instr::Swap(Reg(0), at(0), name.clone()),
            Instr::JumpIf(reg(0).is(0), 9),
            Instr::Store(at(locked), Expr::Const(1)),
            Instr::Store(at(reg(0) + n as i64), name.clone()),
            Instr::Load(Reg(1), at(locked)),
            Instr::JumpIf(reg(1).is(0), 9),
            Instr::Spin(at(locked)),
            jump(5),
        ];
        code.extend(count(2 * n as i64 + 1));
        code.extend([
            Instr::Load(Reg(2), at(next)),
            Instr::JumpIf(reg(2).is(0).is(0), 19),
            Instr::Cas(Reg(3), at(0), name.clone(), Expr::Const(0)),
            Instr::JumpIf(reg(3).is(name), 20),
            Instr::Load(Reg(2), at(next)),
            Instr::JumpIf(reg(2).is(0).is(0), 19),
            Instr::Spin(at(next)),
            jump(15),
            Instr::Store(at(reg(2)), Expr::Const(0)),
        ]);
        code
    };
    Program::new(2 * n + 2, (0..n as i64).map(thread).collect())
}

/// A buffer of one place, with a mutex and two conditions; each of two threads passes or takes `items`.
pub fn bounded_buffer(items: usize) -> Program {
    let side = |full: i64, waits: u32, signals: u32, change: i64| {
        let mut code = Vec::new();
        for _ in 0..items {
            let begin = code.len();
            code.extend([
                Instr::Lock(0),
                Instr::Read(Reg(0), at(0)),
                Instr::JumpIf(reg(0).is(full).is(0), begin + 5),
                Instr::Wait(waits, 0),
                jump(begin + 1),
                Instr::Write(at(0), reg(0) + change),
                Instr::Signal(signals),
                Instr::Unlock(0),
            ]);
        }
        code
    };
    Program::new(1, vec![side(1, 0, 1, 1), side(0, 1, 0, -1)])
}

/// `readers` threads read under a lock for reading, and one writes.
pub fn readers_writers(readers: usize) -> Program {
    let reader = vec![Instr::ReadLock(0), Instr::Read(Reg(0), at(0)), Instr::Unlock(0)];
    let mut writer = vec![Instr::Lock(0)];
    writer.extend(count(0));
    writer.push(Instr::Unlock(0));
    Program::new(1, std::iter::once(writer).chain(std::iter::repeat_n(reader, readers)).collect())
}

/// `n` threads write their element, meet at a barrier and read their neighbour's, so many times.
pub fn barriers(n: usize, rounds: usize) -> Program {
    let thread = |own: i64| {
        let round = [
            Instr::Write(at(own), reg(0) + 1),
            Instr::Barrier(0, Reg(1)),
            Instr::Read(Reg(0), at((own + 1) % n as i64)),
            Instr::Barrier(0, Reg(1)),
        ];
        std::iter::repeat_n(round, rounds).flatten().collect()
    };
    Program { barriers: vec![n as u32], ..Program::new(n, (0..n as i64).map(thread).collect()) }
}

/// `n` threads share `permits` of a semaphore.
pub fn semaphore(n: usize, permits: u64) -> Program {
    let thread = vec![Instr::SemWait(0), Instr::FetchAdd(Reg(0), at(0), Expr::Const(1)), Instr::SemPost(0)];
    Program { semaphores: vec![permits], ..Program::new(1, vec![thread; n]) }
}

/// An owner pushes two items and pops one of a deque, from which another thread steals.
pub fn work_stealing() -> Program {
    let push = |item: i64| [Instr::Store(at(1 + item), Expr::Const(item)), Instr::Store(at(1), Expr::Const(item))];
    let mut owner: Vec<Instr> = push(1).into_iter().chain(push(2)).collect();
    owner.extend([
        Instr::Store(at(1), Expr::Const(1)),
        Instr::Load(Reg(0), at(0)),
        Instr::JumpIf(reg(0).less(1), 9),
        Instr::Cas(Reg(1), at(0), Expr::Const(1), Expr::Const(2)),
        Instr::Store(at(1), Expr::Const(2)),
        Instr::Load(Reg(2), at(3)),
    ]);
    let thief = vec![
        Instr::Load(Reg(0), at(0)),
        Instr::Load(Reg(1), at(1)),
        Instr::JumpIf(reg(0).less(Reg(1)).is(0), 5),
        Instr::Load(Reg(2), at(reg(0) + 2)),
        Instr::Cas(Reg(3), at(0), reg(0), reg(0) + 1),
    ];
    Program::new(4, vec![owner, thief])
}

/// `n` philosophers, each taking the left fork first; they can starve.
pub fn philosophers(n: u32) -> Program {
    let thread = |own: u32| {
        let (left, right) = (own, (own + 1) % n);
        vec![Instr::Lock(left), Instr::Lock(right), Instr::Unlock(right), Instr::Unlock(left)]
    };
    Program::new(1, (0..n).map(thread).collect())
}
