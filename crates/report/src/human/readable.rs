//! A report with nothing in it that a terminal would obey or a person could not read. Lines of source stay as they are:
//! columns count their bytes.

use super::names::{readable, without_tags};
use crate::act::{Act, Fault, Holder, Operation, Thing, Touch, Wait};
use crate::model::{Access, Block, Drawn, Finding, Frame, Lock, Memory, Origin, Pair, Picture, Site, Step, Thread};
use crate::visible::visible;

pub(super) fn finding(finding: &Finding) -> Finding {
    Finding {
        memory: finding.memory.as_ref().map(memory),
        sites: finding.sites.iter().map(site).collect(),
        also: finding.also.iter().map(pair).collect(),
        threads: finding.threads.iter().map(thread).collect(),
        steps: finding.steps.iter().map(step).collect(),
        picture: finding.picture.as_deref().map(|whole| Box::new(picture(whole))),
        ..finding.clone()
    }
}

fn picture(picture: &Picture) -> Picture {
    let drawn = |drawn: &Drawn| Drawn { step: step(&drawn.step), ..drawn.clone() };
    Picture { steps: picture.steps.iter().map(drawn).collect(), ..picture.clone() }
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
    let locks = site.locks.iter().map(|lock| Lock { lock: thing(&lock.lock), ..lock.clone() });
    Site { does: act(&site.does), stack: frames(&site.stack), locks: locks.collect(), ..site.clone() }
}

fn pair(pair: &Pair) -> Pair {
    let access = |access: &Access| Access { does: act(&access.does), stack: frames(&access.stack) };
    Pair { accesses: pair.accesses.iter().map(access).collect() }
}

fn thread(thread: &Thread) -> Thread {
    let parent = thread.parent.as_deref().map(visible);
    Thread { name: visible(&thread.name), parent, created: frames(&thread.created), ..thread.clone() }
}

fn step(step: &Step) -> Step {
    Step { does: act(&step.does), place: step.place.as_ref().map(frame), ..step.clone() }
}

/// What a thread does, with names that can be read.
fn act(act: &Act) -> Act {
    match act {
        Act::Touch(touch) => Act::Touch(Touch { name: touch.name.as_deref().map(name), ..touch.clone() }),
        Act::Wait(what) => Act::Wait(wait(what)),
        Act::Operation(done) => {
            let (on, thread) = (done.thing.as_ref().map(thing), done.thread.as_deref().map(visible));
            Act::Operation(Operation { thing: on, thread, ..done.clone() })
        }
        Act::Unsignalled { then } => Act::Unsignalled { then: then.iter().map(|title| prose(title)).collect() },
        Act::Die(fault) => Act::Die(Fault { cause: visible(&fault.cause), ..fault.clone() }),
    }
}

fn wait(wait: &Wait) -> Wait {
    match wait {
        Wait::Lock { lock, shared, holder } => {
            let holder = match holder {
                Some(Holder::Thread(name)) => Some(Holder::Thread(visible(name))),
                other => other.clone(),
            };
            Wait::Lock { lock: thing(lock), shared: *shared, holder }
        }
        Wait::End { thread } => Wait::End { thread: thread.as_deref().map(visible) },
        Wait::Signal { condition, lost } => Wait::Signal { condition: thing(condition), lost: *lost },
        Wait::Post { semaphore } => Wait::Post { semaphore: thing(semaphore) },
        Wait::Barrier { barrier } => Wait::Barrier { barrier: thing(barrier) },
        Wait::Once { once } => Wait::Once { once: thing(once) },
        Wait::Channel { channel } => Wait::Channel { channel: thing(channel) },
        Wait::Other { operation } => Wait::Other { operation: visible(operation) },
    }
}

fn thing(thing: &Thing) -> Thing {
    Thing { name: thing.name.as_deref().map(name), ..thing.clone() }
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
