//! The death of the program.

use super::Failure;
use crate::resolver::{Locks, Resolver, index_of};
use foretrace_report::{Act, Fault, Manner, Site, Thread, top};
use foretrace_run::{Cause, Death, SeenFault};

impl Failure for Death {
    fn threads(&self) -> Vec<u32> {
        self.fault.iter().map(|fault| fault.thread.unwrap_or(u32::MAX)).collect()
    }

    fn sites(&self, resolver: &Resolver<'_>, threads: &[Thread], _: &Locks) -> Vec<Site> {
        self.fault.iter().map(|one| fault(resolver, one, self.cause, threads)).collect()
    }

    fn death(&self, resolver: &Resolver<'_>) -> Option<foretrace_report::Death> {
        let stack = |fault: &SeenFault| resolver.sources.stack(&fault.stack, resolver.symbols, resolver.modules);
        Some(foretrace_report::Death {
            what: self.cause.name().to_owned(),
            message: self.message.clone(),
            place: self.fault.as_ref().map(stack).and_then(|stack| top(&stack).cloned()),
            id: None,
            folder: None,
        })
    }
}

/// Where a thread has caused the signal that ended the program.
fn fault(resolver: &Resolver<'_>, fault: &SeenFault, cause: Cause, threads: &[Thread]) -> Site {
    let manner = match cause {
        Cause::Null | Cause::Segmentation | Cause::Bus if fault.address > 0 || cause == Cause::Null => {
            Manner::Address { address: fault.address, write: fault.write }
        }
        Cause::StackOverflow => Manner::StackOverflow,
        Cause::Division => Manner::Division,
        Cause::Abort | Cause::Assertion | Cause::Exception | Cause::Terminate => Manner::EndsProgram,
        _ => Manner::Other,
    };
    Site {
        thread: index_of(threads, fault.thread.unwrap_or(u32::MAX)),
        does: Act::Die(Fault { cause: cause.name().to_owned(), manner }),
        stack: resolver.sources.stack(&fault.stack, resolver.symbols, resolver.modules),
        locks: Vec::new(),
    }
}
