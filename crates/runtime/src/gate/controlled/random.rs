//! Random numbers of a policy: the same seed gives the same ones.

use core::sync::atomic::{AtomicU64, Ordering};

static STATE: AtomicU64 = AtomicU64::new(0);

/// Begins anew.
pub fn seed(seed: u64) {
    STATE.store(seed, Ordering::Relaxed);
}

/// The next one (SplitMix64, by Steele, Lea and Flood).
pub fn next() -> u64 {
    let state = STATE.load(Ordering::Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.store(state, Ordering::Relaxed);
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// One below a bound that is not zero.
pub fn below(bound: u32) -> u32 {
    (((next() >> 32) * u64::from(bound)) >> 32) as u32
}
