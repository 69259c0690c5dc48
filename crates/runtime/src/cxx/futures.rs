//! Futures whose result libstdc++ makes ready in its own code, when the thread that has set it ends
//! (`set_value_at_thread_exit` and its kin).

use crate::cxx::Name;
use crate::cxx::notes::{Arguments, Note};
use crate::op::at_exit;
use crate::op::atomic::{Or, change};
use Name::Is;

/// Where the object that makes a state ready points to it: behind two words that the library's list of such objects uses.
const STATE: usize = 16;
/// Where in the state its status is: behind the table of virtual functions and the result.
const STATUS: usize = 16;
const RELEASE: i32 = 3;

/// What came before is visible to whoever finds the result ready: an update of the status that leaves it as it is says that
/// now. What the thread does until it ends is visible, too: see [`at_exit`].
unsafe fn ready_at_exit([maker, ..]: &Arguments, _pc: usize) {
    // SAFETY: the function's argument; the layout is that of libstdc++'s ABI. The state holds the result, so it exists.
    unsafe {
        let state = *((*maker + STATE) as *const usize);
        if state != 0 {
            change::<u32, Or>((state + STATUS) as *mut u32, 0, RELEASE);
            at_exit::announce(state + STATUS);
        }
    }
}

pub const TABLE: [(Name, Note); 1] =
    [(Is(b"_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"), ready_at_exit)];
