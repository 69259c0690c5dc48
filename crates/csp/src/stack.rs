//! The stack of the thread that loads and checks scripts, and how deep recursion may go on it.

use std::cell::Cell;
use std::sync::Mutex;

/// Stack of the thread that evaluates: recursion in a script is recursion of the evaluator. Where the address space has no
/// room for it, the thread gets a sixteenth, which leaves most of the room for everything else; scripts may then nest less
/// deeply.
const STACK: usize = 2 << 30;
const LEAST_STACK: usize = 16 << 20;

/// Runs `body` with room for deep recursion. Load and check scripts inside it.
pub fn with_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    let body = Mutex::new(Some(body));
    let mut size = STACK;
    std::thread::scope(|scope| {
        let thread = loop {
            let body = &body;
            let run = move || {
                let body = body.lock().expect("nobody panics while it is taken").take();
                ROOM.set(size);
                body.expect("it is run once")()
            };
            match std::thread::Builder::new().stack_size(size).spawn_scoped(scope, run) {
                Err(_) if size > LEAST_STACK => size = LEAST_STACK.max(size / 16),
                thread => break thread,
            }
        };
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

thread_local! {
    /// The stack this thread was given.
    static ROOM: Cell<usize> = const { Cell::new(STACK) };
}

/// A depth that the full stack has room for, scaled down to the stack of this thread.
pub(crate) fn depth_for_stack(depth: u32) -> u32 {
    (u64::from(depth) * ROOM.get() as u64 / STACK as u64) as u32
}
