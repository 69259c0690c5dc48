//! Random programs: all primitives, two to four threads, a few steps each.

use super::program::{Expr, Instr, Program, Reg};
use foretrace_event::Random;

const VARIABLES: u64 = 2;

/// A program from a seed. Locks are given back by who took them, waits are made with the mutex held; otherwise anything
/// goes, and many programs deadlock.
pub fn random_program(seed: u64) -> Program {
    let mut maker = Maker { random: Random::new(seed), registers: 0 };
    let threads = 2 + maker.random.below(3) as usize;
    let steps = maker.random.below(3) + if threads == 2 { 3 } else { 2 };
    let mut program = Program::new(VARIABLES as usize, Vec::new());
    program.semaphores = (0..2).map(|_| maker.random.below(3)).collect();
    program.barriers = vec![2, threads as u32];
    let created = maker.one_in(3);
    program.threads = (0..threads).map(|_| maker.thread(steps)).collect();
    if created {
        create(&mut program, &mut maker);
    }
    program
}

/// The same with an assertion about a register, or an exit, somewhere in each thread.
pub fn random_failing_program(seed: u64) -> Program {
    let mut program = random_program(seed);
    let mut maker = Maker { random: Random::new(!seed), registers: 0 };
    for code in &mut program.threads {
        let at = maker.random.below(code.len() as u64 + 1) as usize;
        let (register, value) = (maker.register(), maker.random.below(2) as i64);
        let assert = Instr::Assert(Expr::Reg(register).is(value));
        code.iter_mut().for_each(|instr| shift_behind(instr, at));
        code.insert(at, if maker.one_in(8) { Instr::Exit(0) } else { assert });
    }
    program
}

fn shift_behind(instr: &mut Instr, at: usize) {
    if let Instr::OnceBegin(_, target) | Instr::JumpIf(_, target) = instr {
        *target += usize::from(*target > at);
    }
}

/// A program with futexes and cancellations.
pub fn random_cancelling_program(seed: u64) -> Program {
    let mut program = random_program(seed);
    let mut maker = Maker { random: Random::new(seed ^ 0xc3a5_c85c), registers: 0 };
    let many = program.threads.len() as u64;
    for code in &mut program.threads {
        let (at, place, register) =
            (maker.random.below(code.len() as u64 + 1) as usize, maker.variable(), maker.register());
        let instr = match maker.random.below(4) {
            0 => Instr::FutexWait(register, place.into(), maker.value()),
            1 => Instr::FutexWake(place.into()),
            2 => Instr::Cancel(maker.random.below(many) as u32),
            _ => continue,
        };
        code.iter_mut().for_each(|instr| shift_behind(instr, at));
        code.insert(at, instr);
    }
    program
}

/// A program of locks, plain accesses and branches: some of them race, and most do not.
pub fn random_locking_program(seed: u64) -> Program {
    let mut maker = Maker { random: Random::new(seed), registers: 0 };
    let threads = 2 + usize::from(maker.one_in(4));
    let thread = |maker: &mut Maker| {
        let mut code = Vec::new();
        (0..2 + maker.random.below(2)).for_each(|_| maker.guarded(&mut code));
        code
    };
    Program::new(VARIABLES as usize, (0..threads).map(|_| thread(&mut maker)).collect())
}

/// The same with accesses that are only watched, branches in branches, and threads that are created and joined.
pub fn random_branching_program(seed: u64) -> Program {
    let mut maker = Maker { random: Random::new(seed ^ 0x5bd1_e995), registers: 0 };
    let threads = 2 + usize::from(maker.one_in(4));
    let thread = |maker: &mut Maker| {
        let mut code = Vec::new();
        (0..2 + maker.random.below(2)).for_each(|_| maker.skippable(&mut code, 2));
        code
    };
    let mut program = Program::new(VARIABLES as usize, (0..threads).map(|_| thread(&mut maker)).collect());
    program.plain_visible = maker.one_in(3);
    if maker.one_in(2) {
        create(&mut program, &mut maker);
        if maker.one_in(2) {
            maker.guarded(&mut program.threads[0]);
        }
    }
    program
}

/// The first thread creates the others, and joins some of them.
fn create(program: &mut Program, maker: &mut Maker) {
    let many = program.threads.len() as u32;
    let mut first: Vec<Instr> = (1..many).map(Instr::Create).collect();
    let mut body = program.threads[0].clone();
    body.iter_mut().for_each(|instr| shift(instr, first.len()));
    first.extend(body);
    for thread in 1..many {
        match maker.random.below(8) {
            0 => first.push(Instr::TryJoin(thread, Reg(7))),
            1..=4 => first.push(Instr::Join(thread)),
            _ => {}
        }
    }
    program.threads[0] = first;
}

fn shift(instr: &mut Instr, by: usize) {
    if let Instr::OnceBegin(_, target) | Instr::JumpIf(_, target) = instr {
        *target += by;
    }
}

struct Maker {
    random: Random,
    registers: u8,
}

impl Maker {
    fn one_in(&mut self, many: u64) -> bool {
        self.random.below(many) == 0
    }

    /// One of two objects, mostly the first: programs whose threads meet are the interesting ones.
    fn object(&mut self) -> u32 {
        u32::from(self.one_in(4))
    }

    fn register(&mut self) -> Reg {
        self.registers = (self.registers + 1) % 7;
        Reg(self.registers)
    }

    fn variable(&mut self) -> Expr {
        Expr::Const(self.random.below(VARIABLES) as i64)
    }

    fn value(&mut self) -> Expr {
        match self.random.below(3) {
            0 => Expr::Const(self.random.below(3) as i64),
            1 => Expr::Reg(Reg(self.registers)),
            _ => Expr::Reg(Reg(self.registers)) + 1,
        }
    }

    fn thread(&mut self, steps: u64) -> Vec<Instr> {
        let mut code = Vec::new();
        while (code.len() as u64) < steps {
            self.block(&mut code);
        }
        code
    }

    fn block(&mut self, code: &mut Vec<Instr>) {
        match self.random.below(16) {
            0..=1 => self.critical(code),
            2 => self.reading(code),
            3 => self.trying(code),
            4 => self.waiting(code),
            5 => self.once(code),
            6 => self.branch(code),
            7 if self.one_in(2) => self.spinning(code),
            7 => code.push(Instr::Barrier(self.object(), Reg(self.registers))),
            _ => code.push(self.single()),
        }
    }

    fn single(&mut self) -> Instr {
        let (register, place, value) = (self.register(), self.variable().into(), self.value());
        let number = self.object();
        match self.random.below(13) {
            0 => Instr::Load(register, place),
            1 => Instr::Store(place, value),
            2 => Instr::FetchAdd(register, place, Expr::Const(1)),
            3 => Instr::Cas(register, place, Expr::Const(0), value),
            4..=5 => Instr::Read(register, place),
            6..=7 => Instr::Write(place, value),
            8 => Instr::SemPost(number),
            9 => Instr::SemWait(number),
            10 => Instr::SemTryWait(number, register),
            11 => {
                if number == 0 {
                    Instr::Signal(0)
                } else {
                    Instr::Broadcast(0)
                }
            }
            _ => Instr::SemRead(0, register),
        }
    }

    fn critical(&mut self, code: &mut Vec<Instr>) {
        let mutex = self.object();
        code.push(Instr::Lock(mutex));
        match self.random.below(4) {
            0 => self.nested(mutex, code),
            _ => code.push(self.single()),
        }
        code.push(Instr::Unlock(mutex));
    }

    /// Variable 0 belongs to mutex 0 and so on, with exceptions.
    fn guarded(&mut self, code: &mut Vec<Instr>) {
        let variable = self.random.below(VARIABLES);
        let mutex = if self.one_in(10) { 1 - variable } else { variable } as u32;
        let (register, old) = (self.register(), Reg(self.registers));
        let access = match self.random.below(3) {
            0 => Instr::Write(Expr::Const(variable as i64).into(), Expr::Reg(old) + 1),
            _ => Instr::Read(register, Expr::Const(variable as i64).into()),
        };
        let around = self.one_in(3);
        let skip =
            Instr::JumpIf(Expr::Reg(old).is(self.random.below(2) as i64), code.len() + if around { 4 } else { 3 });
        let [lock, unlock] = [Instr::Lock(mutex), Instr::Unlock(mutex)];
        match (self.one_in(2), around) {
            (false, _) => code.extend([lock, access, unlock]),
            (true, true) => code.extend([skip, lock, access, unlock]),
            (true, false) => code.extend([lock, skip, access, unlock]),
        }
    }

    /// Critical sections, some of which can be skipped together.
    fn skippable(&mut self, code: &mut Vec<Instr>, depth: u32) {
        let skip = code.len();
        let skips = self.one_in(2);
        if skips {
            code.push(Instr::Yield);
        }
        let value = self.random.below(2) as i64;
        let register = Reg(self.registers);
        if depth > 0 && self.one_in(2) {
            self.skippable(code, depth - 1);
        }
        self.guarded(code);
        if skips {
            code[skip] = Instr::JumpIf(Expr::Reg(register).is(value), code.len());
        }
    }

    fn nested(&mut self, mutex: u32, code: &mut Vec<Instr>) {
        code.push(Instr::Lock(1 - mutex));
        code.push(Instr::Unlock(1 - mutex));
    }

    fn reading(&mut self, code: &mut Vec<Instr>) {
        let lock = self.object();
        code.push(Instr::ReadLock(lock));
        code.push(self.single());
        if !self.one_in(4) {
            code.push(Instr::Unlock(lock));
        }
    }

    fn trying(&mut self, code: &mut Vec<Instr>) {
        let (lock, register, reads) = (self.object(), self.register(), self.one_in(3));
        code.push(if reads { Instr::TryReadLock(lock, register) } else { Instr::TryLock(lock, register) });
        code.push(Instr::JumpIf(Expr::Reg(register).is(0), code.len() + 3));
        code.push(self.single());
        code.push(Instr::Unlock(lock));
    }

    fn waiting(&mut self, code: &mut Vec<Instr>) {
        let (mutex, register) = (self.object(), self.register());
        code.push(Instr::Lock(mutex));
        code.push(if self.one_in(2) { Instr::Wait(0, mutex) } else { Instr::TimedWait(0, mutex, register) });
        code.push(Instr::Unlock(mutex));
    }

    fn spinning(&mut self, code: &mut Vec<Instr>) {
        let (register, place) = (self.register(), self.variable());
        code.push(Instr::Load(register, place.clone().into()));
        if self.one_in(2) {
            code.push(Instr::Load(register, self.variable().into()));
            code.push(Instr::SpinRound(2));
        } else {
            code.push(Instr::Spin(place.into()));
        }
    }

    fn once(&mut self, code: &mut Vec<Instr>) {
        code.push(Instr::OnceBegin(0, code.len() + 3));
        code.push(self.single());
        code.push(Instr::OnceEnd(0));
    }

    fn branch(&mut self, code: &mut Vec<Instr>) {
        let register = Reg(self.registers);
        code.push(Instr::JumpIf(Expr::Reg(register).is(1), code.len() + 2));
        code.push(self.single());
    }
}
