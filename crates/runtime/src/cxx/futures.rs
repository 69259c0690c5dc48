//! The parts of `std::promise` and `std::future` that are in the library's own code.

use crate::cxx::Name;
use crate::cxx::notes::{Arguments, Note};
use crate::op::at_exit;
use Name::Is;

/// What the library keeps of a result that is to be ready when the thread ends.
#[repr(C)]
struct MakeReady {
    next: usize,
    callback: usize,
    state: *const State,
}

/// The beginning of the state that promise and future share.
#[repr(C)]
struct State {
    table: usize,
    result: usize,
    status: u32,
}

unsafe fn delays([make_ready, ..]: &Arguments, _pc: usize) {
    let make_ready = *make_ready as *const MakeReady;
    // SAFETY: the library passes an object of its own; of the state, only an address is computed.
    at_exit::announce(unsafe { &raw const (*(*make_ready).state).status } as usize);
}

pub const TABLE: [(Name, Note); 1] = [(Is(b"_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"), delays)];
