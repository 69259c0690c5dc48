//! A report with nothing in it that a terminal would obey or a person could not read. Lines of source stay as they are:
//! columns count their bytes.

use super::names::{readable, without_tags};
use crate::model::{Access, Block, Finding, Frame, Lock, Memory, Origin, Pair, Site, Step, Thread};
use crate::visible::visible;

pub(super) fn finding(finding: &Finding) -> Finding {
    Finding {
        memory: finding.memory.as_ref().map(memory),
        sites: finding.sites.iter().map(site).collect(),
        also: finding.also.iter().map(pair).collect(),
        threads: finding.threads.iter().map(thread).collect(),
        steps: finding.steps.iter().map(step).collect(),
        ..finding.clone()
    }
}

fn memory(memory: &Memory) -> Memory {
    let origin = match &memory.origin {
        Origin::Heap(whole) => Origin::Heap(block(whole)),
        Origin::Mapped(whole) => Origin::Mapped(block(whole)),
        Origin::Stack(thread) => Origin::Stack(visible(thread)),
        Origin::ThreadLocal(thread) => Origin::ThreadLocal(visible(thread)),
        other => other.clone(),
    };
    let function = memory.function.as_deref().map(name);
    Memory { name: memory.name.as_deref().map(name), function, origin, ..memory.clone() }
}

fn block(block: &Block) -> Block {
    Block { thread: visible(&block.thread), allocated: frames(&block.allocated), ..block.clone() }
}

fn site(site: &Site) -> Site {
    let locks = site.locks.iter().map(|lock| Lock { name: name(&lock.name), ..lock.clone() });
    Site { doing: prose(&site.doing), stack: frames(&site.stack), locks: locks.collect(), ..site.clone() }
}

fn pair(pair: &Pair) -> Pair {
    let access = |access: &Access| Access { doing: prose(&access.doing), stack: frames(&access.stack) };
    Pair { accesses: pair.accesses.iter().map(access).collect() }
}

fn thread(thread: &Thread) -> Thread {
    let parent = thread.parent.as_deref().map(visible);
    Thread { name: visible(&thread.name), parent, created: frames(&thread.created), ..thread.clone() }
}

fn step(step: &Step) -> Step {
    Step { text: prose(&step.text), place: step.place.as_ref().map(frame), ..step.clone() }
}

fn frames(stack: &[Frame]) -> Vec<Frame> {
    stack.iter().map(frame).collect()
}

fn frame(frame: &Frame) -> Frame {
    Frame {
        function: frame.function.as_deref().map(name),
        file: frame.file.as_deref().map(visible),
        module: visible(&frame.module),
        ..frame.clone()
    }
}

/// A sentence with names of variables in it.
fn prose(text: &str) -> String {
    visible(&without_tags(text))
}

fn name(text: &str) -> String {
    visible(&readable(text))
}
