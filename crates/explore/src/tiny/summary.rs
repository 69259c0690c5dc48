//! What the branches of a program may do: what a pass over its code would find.

use super::objects::{MEMORY, MUTEX};
use super::program::{Expr, Instr, Place, Program, Reg};
use crate::summary::{LockUpdate, MayAccess, Summary};
use foretrace_event::ThreadId;
use foretrace_event::visible::ObjectId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For each branch, what the instructions may do that it can skip.
#[derive(Clone, Debug, Default)]
pub(super) struct Table(BTreeMap<(ThreadId, usize), Arc<Summary>>);

impl Table {
    /// Of a program. Branches around instructions that do more than lock, access, compute and branch are left out.
    pub fn of(program: &Program) -> Self {
        let mut table = Self::default();
        for (thread, code) in program.threads.iter().enumerate() {
            for (pc, instr) in code.iter().enumerate() {
                let (Instr::JumpIf(_, target) | Instr::OnceBegin(_, target)) = instr else { continue };
                let mut skipped = Skipped { code, variables: program.variables.len(), summary: Summary::default() };
                if skipped.follow(pc + 1, *target, LockUpdate::default()).is_some() {
                    let mut summary = skipped.summary;
                    summary.decided_by = decided_by(code, pc, program.variables.len());
                    table.0.insert((ThreadId::from_index(thread), pc), Arc::new(summary));
                }
            }
        }
        table
    }

    /// What the side may do that was not taken.
    pub fn other_side(&self, thread: ThreadId, pc: usize, taken: bool) -> Option<Arc<Summary>> {
        let skipped = self.0.get(&(thread, pc))?;
        let (paths, decided_by) = (vec![LockUpdate::default()], skipped.decided_by.clone());
        let nothing = || Arc::new(Summary { paths, decided_by, ..Summary::default() });
        Some(if taken { skipped.clone() } else { nothing() })
    }
}

/// The variables that decide a branch: those that its registers were read from, if each was read once, in any case.
fn decided_by(code: &[Instr], pc: usize, variables: usize) -> Option<Vec<(ObjectId, u64)>> {
    let Instr::JumpIf(condition, _) = &code[pc] else { return None };
    let mut deciding = Vec::new();
    for register in (0..8).map(Reg).filter(|register| condition.mentions(*register)) {
        let sets = |at: &usize| code[*at].sets() == Some(register);
        match (0..code.len()).filter(sets).collect::<Vec<_>>().as_slice() {
            [] => {}
            [at] if *at < pc && !is_skippable(code, *at) => {
                let Instr::Read(_, place) = &code[*at] else { return None };
                deciding.push((object(place, variables)?, 8));
            }
            _ => return None,
        }
    }
    Some(deciding)
}

fn is_skippable(code: &[Instr], at: usize) -> bool {
    let skips = |instr: &Instr| matches!(instr, Instr::JumpIf(_, target) | Instr::OnceBegin(_, target) if *target > at);
    code[..at].iter().any(skips)
}

fn object(place: &Place, variables: usize) -> Option<ObjectId> {
    Some(ObjectId(MEMORY + 8 * constant(place)?.rem_euclid(variables as i64) as u64))
}

fn constant(place: &Place) -> Option<i64> {
    match place.0 {
        Expr::Const(number) => Some(number),
        _ => None,
    }
}

/// Is the instruction about the same object, whatever registers hold?
pub(super) fn is_fixed(instr: &Instr) -> bool {
    match instr {
        Instr::Load(_, place) | Instr::Store(place, _) | Instr::FetchAdd(_, place, _) | Instr::Swap(_, place, _) => {
            constant(place).is_some()
        }
        Instr::Cas(_, place, ..) | Instr::Read(_, place) | Instr::Write(place, _) | Instr::Spin(place) => {
            constant(place).is_some()
        }
        _ => true,
    }
}

/// Instructions that a branch can skip, and what they may do.
struct Skipped<'a> {
    code: &'a [Instr],
    variables: usize,
    summary: Summary,
}

impl Skipped<'_> {
    /// Follows every path from an instruction to the end.
    fn follow(&mut self, mut pc: usize, end: usize, mut path: LockUpdate) -> Option<()> {
        while pc < end {
            match self.code.get(pc)? {
                Instr::Lock(m) => take(&mut path, ObjectId(MUTEX + u64::from(*m))),
                Instr::Unlock(m) => path.released.push(ObjectId(MUTEX + u64::from(*m))),
                Instr::JumpIf(_, target) if (pc..=end).contains(target) => {
                    self.follow(*target, end, path.clone())?;
                }
                Instr::Set(..) | Instr::Yield | Instr::SemPost(_) | Instr::Signal(_) | Instr::Broadcast(_) => {}
                Instr::OnceEnd(_) => {}
                instr => self.access(instr, &path)?,
            }
            pc += 1;
        }
        self.summary.paths.push(path);
        Some(())
    }

    fn access(&mut self, instr: &Instr, path: &LockUpdate) -> Option<()> {
        let (place, writes) = match instr {
            Instr::Read(_, place) | Instr::Load(_, place) => (place, false),
            Instr::Write(place, _) | Instr::Store(place, _) => (place, true),
            Instr::FetchAdd(_, place, _) | Instr::Cas(_, place, ..) | Instr::Swap(_, place, _) => (place, true),
            _ => return None,
        };
        let object = object(place, self.variables)?;
        let atomic = !matches!(instr, Instr::Read(..) | Instr::Write(..));
        self.summary.accesses.push(MayAccess { object, size: 8, writes, atomic, locks: path.clone() });
        Some(())
    }
}

/// A lock that is taken again is held, although it was given back before.
fn take(path: &mut LockUpdate, lock: ObjectId) {
    path.released.retain(|released| *released != lock);
    path.acquired.push(lock);
}
