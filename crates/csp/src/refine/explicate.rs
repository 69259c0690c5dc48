//! A product written out as one machine, all of it or what a restriction leaves.

use super::search::{self, Space};
use super::store::{hash, shard_of};
use crate::budget::{Limit, Meter};
use crate::machine::event::{Event, TAU};
use crate::machine::lts::Lts;
use crate::machine::packed::Packed;
use crate::machine::plan::Found;
use crate::machine::product::Product;
use crate::machine::term::Priorities;

/// Which of its steps a state may take.
#[derive(Clone, Copy)]
pub enum Restriction<'a> {
    /// All of them.
    Free,
    /// Those that no more urgent step holds back.
    Priority(&'a Priorities),
    /// One silent step, if there are any.
    Chase,
    /// One silent step if there are any, and otherwise one step an event.
    Determined,
}

impl Restriction<'_> {
    fn apply<T: Ord + Copy>(&self, mut row: Vec<(Event, T)>) -> Vec<(Event, T)> {
        match self {
            Restriction::Free => row,
            Restriction::Priority(order) => order.among(&row),
            Restriction::Chase => {
                row.sort_unstable();
                if row.first().is_some_and(|(e, _)| *e == TAU) {
                    row.truncate(1);
                }
                row
            }
            Restriction::Determined => {
                row.sort_unstable();
                if row.first().is_some_and(|(e, _)| *e == TAU) {
                    row.truncate(1);
                }
                row.dedup_by_key(|(e, _)| *e);
                row
            }
        }
    }
}

pub fn product(product: &Product, restriction: Restriction, meter: &Meter) -> Result<Lts, Limit> {
    let packed = Packed::new(product, 1);
    crate::with_words!(packed.words, W, explicate::<W>(&Explicated { packed: &packed, restriction }, meter))
}

struct Explicated<'a> {
    packed: &'a Packed,
    restriction: Restriction<'a>,
}

impl Explicated<'_> {
    fn row<const W: usize>(&self, key: &[u64; W]) -> Vec<(Event, [u64; W])> {
        let mut row = Vec::new();
        self.packed.successors(key, &mut |rule, next| row.push((self.packed.event(rule), next)));
        self.restriction.apply(row)
    }
}

impl<const W: usize> Space<W> for Explicated<'_> {
    type Breach = ();
    type Scratch = Found<W>;

    fn initial(&self) -> [u64; W] {
        self.packed.first()
    }

    fn scratch(&self) -> Found<W> {
        Found::default()
    }

    fn looks_back(&self) -> bool {
        false
    }

    fn expand(
        &self,
        key: &[u64; W],
        found: &mut Found<W>,
        _seen: &impl Fn(&[u64; W]) -> bool,
        out: &mut impl FnMut(&[[u64; W]]),
    ) -> Option<()> {
        match self.restriction {
            Restriction::Free => {
                self.packed.find(key, found);
                out(found.next());
            }
            _ => self.row(key).into_iter().for_each(|(_, next)| out(&[next])),
        }
        None
    }
}

fn explicate<const W: usize>(space: &Explicated, meter: &Meter) -> Result<Lts, Limit> {
    let found = search::run::<W, _>(space, &meter.on_one_thread(), &|_| {})?;
    let shards = &found.shards;
    let mut base = vec![0u32];
    for shard in shards {
        base.push(base[base.len() - 1] + shard.keys().len() as u32);
    }
    let number = |key: &[u64; W]| {
        let shard = shard_of(hash(key));
        base[shard] + shards[shard].number(key).expect("every successor was stored")
    };
    let mut rows: Vec<Vec<(Event, u32)>> = Vec::with_capacity(found.progress.states as usize);
    let mut pace = meter.pace();
    for key in shards.iter().flat_map(|shard| shard.keys()) {
        pace.step()?;
        rows.push(space.row(key).into_iter().map(|(e, next)| (e, number(&next))).collect());
    }
    let initial = number(&Space::<W>::initial(space));
    // Numbered in the order of the search, whatever the hash.
    meter.check_time()?;
    Lts::from_rows(initial, rows).reachable(meter)
}
