//! What the branches of a program may do: what a pass over its code would find.

use super::machine::{MEMORY, MUTEX, place_of};
use super::program::{Expr, Instr, Place, Program};
use crate::execution::Side;
use crate::pruning::{LockUpdate, MayAccess, Summaries, Summary};
use foretrace_event::ThreadId;
use foretrace_event::visible::ObjectId;

/// The summaries of a program. Loops, nested branches, and blocks that do more than lock, access and compute are unknown.
pub fn summaries(program: &Program) -> Summaries {
    let mut summaries = Summaries::default();
    for (thread, code) in program.threads.iter().enumerate() {
        for (pc, instr) in code.iter().enumerate() {
            let place = place_of(ThreadId::from_index(thread), pc);
            if is_fixed(instr) {
                summaries.fixed.insert(place);
            }
            let (Instr::JumpIf(_, target) | Instr::OnceBegin(_, target)) = instr else { continue };
            let block = code.get(pc + 1..*target);
            if let Some(summary) = block.and_then(|block| summary(block, program.variables.len())) {
                summaries.sides.insert(Side { place, taken: false }, summary);
                let nothing = Summary { paths: vec![LockUpdate::default()], ..Summary::default() };
                summaries.sides.insert(Side { place, taken: true }, nothing);
            }
        }
    }
    summaries
}

fn constant(place: &Place) -> Option<i64> {
    match place.0 {
        Expr::Const(number) => Some(number),
        _ => None,
    }
}

fn is_fixed(instr: &Instr) -> bool {
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

fn summary(block: &[Instr], variables: usize) -> Option<Summary> {
    let (mut accesses, mut path) = (Vec::new(), LockUpdate::default());
    for instr in block {
        match instr {
            Instr::Lock(m) => path.acquired.push(ObjectId(MUTEX + u64::from(*m))),
            Instr::Unlock(m) => path.released.push(ObjectId(MUTEX + u64::from(*m))),
            Instr::Read(_, place) | Instr::Write(place, _) => {
                let number = constant(place)?.rem_euclid(variables as i64) as u64;
                let (acquired, released) = (path.acquired.clone(), path.released.clone());
                let writes = matches!(instr, Instr::Write(..));
                accesses.push(MayAccess { object: ObjectId(MEMORY + 8 * number), writes, acquired, released });
            }
            Instr::Set(..) | Instr::Load(..) | Instr::Store(..) | Instr::FetchAdd(..) | Instr::Yield => {}
            Instr::SemPost(_) | Instr::Signal(_) | Instr::Broadcast(_) | Instr::OnceEnd(_) | Instr::Cas(..) => {}
            _ => return None,
        }
    }
    Some(Summary { accesses, paths: vec![path] })
}
