//! How a replayed program dies: the signal, where it came, and the stack there.
//!
//! Where the program has no handler for such a signal, ours writes a line of the answer, restores the default and lets the
//! signal come again, so that the program dies as it would have. Where it has one, the line is written before that
//! handler runs; whether the program survives, its exit status tells.

use crate::fast;
use crate::gate::answer::Answer;
use crate::memory::arena;
use crate::sys::real::Real;
use crate::thread::signals::sigaction;
use crate::thread::stack::{self, Place};
use crate::thread::tls::{Section, tls};
use crate::thread::{Thread, callers, taking_part};
use crate::{axes, sys};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use libc::{sigaction as Action, siginfo_t, ucontext_t};

/// Signals that end a program which has gone wrong.
const SIGNALS: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP, libc::SIGSYS];
/// The most faults that are reported: a program may live with many.
const MOST: u32 = 16;
static TOLD: AtomicU32 = AtomicU32::new(0);

/// From now on deaths are seen.
pub fn open() {
    SIGNALS.into_iter().for_each(watch);
}

/// Stands in for the default action, if that is what the program has.
fn watch(signal: c_int) {
    // SAFETY: the actions are locals.
    unsafe {
        let mut now: Action = core::mem::zeroed();
        if sigaction(signal, core::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_DFL {
            sigaction(signal, &ours(), core::ptr::null_mut());
        }
    }
}

/// Our action.
fn ours() -> Action {
    // SAFETY: zero bytes are an action with no flags that blocks nothing.
    let mut action: Action = unsafe { core::mem::zeroed() };
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    action
}

/// The program asks for the default action of such a signal: it gets ours, which ends in the default.
pub fn instead_of_default(signal: c_int) -> Option<Action> {
    (axes::is_replaying() && SIGNALS.contains(&signal)).then(ours)
}

/// Is this our handler, which the program has not asked for?
pub fn is_ours(handler: usize) -> bool {
    handler == on_fault as *const () as usize
}

/// Bytes of the stack that a handler of the current thread runs on when the thread's own has overflown.
const STACK: usize = 64 << 10;

/// The stack of a handler, as the kernel reads it.
#[repr(C)]
struct HandlerStack {
    at: *mut u8,
    flags: c_int,
    size: usize,
}

/// Gives the current thread a stack for handlers, unless it has one.
pub fn prepare_thread() {
    if fast::is_on() {
        return;
    }
    let mut known = HandlerStack { at: core::ptr::null_mut(), flags: 0, size: 0 };
    if sys::handler_stack(core::ptr::null(), (&raw mut known).cast()).is_ok()
        && known.flags & libc::SS_DISABLE != 0
        && let Some(at) = arena::allocate(STACK)
    {
        let own = HandlerStack { at, flags: 0, size: STACK };
        let _ = sys::handler_stack((&raw const own).cast(), core::ptr::null_mut());
    }
}

unsafe extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the information and the context; the action is a local.
    unsafe {
        let default: Action = core::mem::zeroed();
        sigaction(signal, &default, core::ptr::null_mut());
        if axes::is_replaying() {
            note(signal, info, context);
        }
        // What an instruction has caused comes again by itself.
        if (*info).si_code <= 0 {
            sys::send_to_self(signal);
        }
    }
}

/// Tells of a signal that a thread has caused by itself.
///
/// # Safety
/// The kernel has passed the information and the context.
pub unsafe fn note(signal: c_int, info: *const siginfo_t, context: *const c_void) {
    if TOLD.fetch_add(1, Ordering::Relaxed) >= MOST {
        return;
    }
    let _section = Section::nest();
    // SAFETY: as the caller says.
    let (code, address, registers) = unsafe {
        let context = context.cast::<ucontext_t>();
        ((*info).si_code, (*info).si_addr() as usize, &(*context).uc_mcontext.gregs)
    };
    let register = |number: c_int| registers[number as usize] as usize;
    let thread = taking_part();
    let at = Position {
        instruction: register(libc::REG_RIP),
        frame: register(libc::REG_RBP),
        stack: register(libc::REG_RSP),
    };
    let place = place(thread, at);
    let own = thread.map_or(-1, |player| i64::from(player.index));
    let bounds = thread.map_or((0, 0), |player| player.stack);
    let stack = stack::capture_within(bounds, place);
    let writes = signal == libc::SIGSEGV && register(libc::REG_ERR) & 2 != 0;
    let mut answer = Answer::new();
    let line = answer.line("fault").decimal("signal", signal.into()).decimal("code", code.into());
    let line = line.hex("address", if code > 0 { address } else { 0 }).decimal("thread", own);
    let line = line.decimal("write", writes.into()).hex("sp", at.stack).hex("bottom", bounds.0);
    let own = if place.caller == 0 { place.pc } else { place.caller };
    line.hex("pc", own).list("stack", stack::frames(stack));
}

/// The registers that tell where a thread is.
#[derive(Clone, Copy)]
struct Position {
    instruction: usize,
    frame: usize,
    stack: usize,
}

/// Where it happened, as a return address: these lie behind the instruction that is meant.
fn place(player: Option<&Thread>, at: Position) -> Place {
    let plain = Place { pc: at.instruction + 1, caller: 0, frame: at.frame };
    let Some(player) = player else { return plain };
    let (call, frame) = player.gave_up.get();
    if callers::is_instrumented(call) {
        return Place { caller: call, frame, ..plain };
    }
    let (call, frame) = (tls().caller.get(), tls().frame.get());
    let in_program = callers::is_instrumented(at.instruction);
    // Functions that we stand in front of were called from there; what they call keeps no frame pointers.
    if is_on_stack(player, at, call, frame) && (!in_program || at.frame == frame) {
        return Place { caller: call, frame, ..plain };
    }
    if in_program && is_frame(player, at.frame) {
        return plain;
    }
    unwound(player, at).or_else(|| chained(player, at)).unwrap_or(plain)
}

/// The current thread gives up: it calls `abort`, or an assertion has failed.
pub fn give_up(pc: usize) {
    fast::give_up();
    if let Some(player) = taking_part() {
        player.gave_up.set((pc, tls().frame.get()));
    }
}

/// Is this where a function of the program keeps its caller's frame pointer, and the address to return to?
fn is_frame(player: &Thread, at: usize) -> bool {
    let within = |address: usize| player.stack.0 <= address && address + 16 <= player.stack.1;
    // SAFETY: two aligned words inside the thread's stack.
    let words = || unsafe { (at as *const [usize; 2]).read_volatile() };
    at.is_multiple_of(8) && within(at) && {
        let [outer, back] = words();
        outer > at && within(outer) && stack::is_return_to_program(back)
    }
}

/// So far the stack is searched for a frame.
const FAR: usize = 64 << 10;
const PAGE: usize = 4096;

/// The innermost two frames of the program that are linked; the call is that of the inner one.
fn chained(player: &Thread, at: Position) -> Option<Place> {
    // The page that the pointer is in may be the one that is not there.
    let start = at.stack.max(player.stack.0).next_multiple_of(PAGE);
    let end = player.stack.1.min(start + FAR);
    // SAFETY: both are frames, which are words of the thread's stack.
    let words = |at: usize| unsafe { (at as *const [usize; 2]).read_volatile() };
    let frame = (start..end).step_by(8).find(|at| is_frame(player, *at) && is_frame(player, words(*at)[0]))?;
    let [outer, back] = words(frame);
    Some(Place { pc: at.instruction + 1, caller: back, frame: outer })
}

/// Is this call still under way: is its return address on the stack, below its frame?
fn is_on_stack(player: &Thread, at: Position, call: usize, frame: usize) -> bool {
    let within = |address: usize| player.stack.0 <= address && address < player.stack.1;
    let sound = callers::is_instrumented(call) && within(at.stack) && within(frame) && at.stack.is_multiple_of(8);
    // SAFETY: aligned words of the thread's own stack, above its pointer.
    sound && (at.stack..frame).step_by(8).any(|at| unsafe { (at as *const usize).read_volatile() } == call)
}

/// A call on the way outwards.
type Visit = unsafe extern "C" fn(context: *mut c_void, found: *mut c_void) -> c_int;

static UNWIND: Real<unsafe extern "C-unwind" fn(visit: Visit, found: *mut c_void) -> c_int> =
    Real::new(c"_Unwind_Backtrace", None);
static ADDRESS: Real<unsafe extern "C-unwind" fn(context: *mut c_void) -> usize> = Real::new(c"_Unwind_GetIP", None);
static STACK_POINTER: Real<unsafe extern "C-unwind" fn(context: *mut c_void) -> usize> =
    Real::new(c"_Unwind_GetCFA", None);
static FRAME: Real<unsafe extern "C-unwind" fn(context: *mut c_void, register: c_int) -> usize> =
    Real::new(c"_Unwind_GetGR", None);

/// What is looked for by unwinding: the program's innermost call among the frames in this part of the stack.
struct Found {
    call: usize,
    frame: usize,
    part: (usize, usize),
    /// It is outside of the frame that goes on here; zero: anywhere.
    after: usize,
}

/// The program's innermost call, by the unwinder of C++. Programs in C may not have it; then it is not known.
fn unwound(player: &Thread, at: Position) -> Option<Place> {
    // A library has called `abort`, which is ours: the program's call is further out.
    let after = player.gave_up.get().0;
    let mut found = Found { call: 0, frame: 0, part: (at.stack, player.stack.1), after };
    ADDRESS.find()?;
    STACK_POINTER.find()?;
    FRAME.find()?;
    // SAFETY: the unwinder calls `visit` with what it is given here.
    unsafe { UNWIND.find()?(visit, (&raw mut found).cast()) };
    (found.call != 0).then_some(Place { pc: at.instruction + 1, caller: found.call, frame: found.frame })
}

unsafe extern "C" fn visit(context: *mut c_void, found: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const STOP: c_int = 4;
    /// The number of `rbp` in debug information.
    const RBP: c_int = 6;
    // SAFETY: `unwound` passes what it has found so far, and has looked up the functions; the unwinder passes its context.
    unsafe {
        let found = &mut *found.cast::<Found>();
        let (call, stack) = (ADDRESS.get()(context), STACK_POINTER.get()(context));
        // Our own handler runs on another stack, or further down.
        let is_in_part = found.part.0 <= stack && stack < found.part.1;
        if found.after != 0 {
            found.after = if call == found.after { 0 } else { found.after };
            return GO_ON;
        }
        if !is_in_part || !stack::is_return_to_program(call) {
            return GO_ON;
        }
        (found.call, found.frame) = (call, FRAME.get()(context, RBP));
        STOP
    }
}
