//! Locks of atomic variables, many variables to a lock.

use crate::memory::spin::Spin;

/// Locks by address, each with the last stamp of an operation under it.
#[repr(align(64))]
struct Stripe(Spin<u64>);

const STRIPES: usize = 1024;
static LOCKS: [Stripe; STRIPES] = [const { Stripe(Spin::new(0)) }; STRIPES];

/// The lock of a variable.
pub fn stripe(address: usize) -> &'static Spin<u64> {
    &LOCKS[(address >> 3 ^ address >> 13) % STRIPES].0
}

/// In a forked child.
fn reset_locks() {
    for lock in &LOCKS {
        lock.0.reset();
    }
}
at_fork!(reset_locks);

/// Does something while no other atomic operation on the variable takes place.
/// The last stamp of such an operation is its argument.
pub fn exclusively<R>(at: usize, act: impl FnOnce(&mut u64) -> R) -> R {
    act(&mut stripe(at).lock())
}
