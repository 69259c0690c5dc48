//! What silent steps lead to.

use crate::budget::{Limit, Meter};
use crate::machine::event::TAU;
use crate::machine::lts::Lts;

/// The states reached by silent steps, this one included, sorted.
pub fn closure(lts: &Lts, from: u32, meter: &Meter) -> Result<Vec<u32>, Limit> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut todo = vec![from];
    seen.insert(from);
    let mut pace = meter.pace();
    while let Some(s) = todo.pop() {
        pace.step()?;
        for &(_, t) in lts.row(s).iter().take_while(|(e, _)| *e == TAU) {
            if seen.insert(t) {
                todo.push(t);
            }
        }
    }
    let mut out: Vec<u32> = seen.into_iter().collect();
    out.sort_unstable();
    Ok(out)
}
