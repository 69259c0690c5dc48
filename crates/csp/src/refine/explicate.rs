//! A product written out as one machine.

use super::search;
use super::space::{ProductSpace, Question};
use super::store::{hash, shard_of};
use crate::budget::{Budget, Limit, Meter};
use crate::machine::event::Event;
use crate::machine::lts::Lts;
use crate::machine::product::{Packed, Product};

pub fn product(product: &Product, meter: &Meter) -> Result<Lts, Limit> {
    let packed = Packed::new(product, 1);
    crate::with_words!(packed.words, W, explicate::<W>(&packed, meter))
}

fn explicate<const W: usize>(packed: &Packed, meter: &Meter) -> Result<Lts, Limit> {
    let space = ProductSpace::new(packed, Question::Nothing, &[], None);
    let meter = Meter::new(Budget { threads: 1, ..meter.budget.clone() });
    let found = search::run::<W, _>(&space, &meter, &|_| {})?;
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
    for shard in shards {
        for key in shard.keys() {
            let mut row = Vec::new();
            packed.successors(key, &mut |rule, next| row.push((packed.event(rule), number(&next))));
            rows.push(row);
        }
    }
    let initial = number(&search::Space::<W>::initial(&space));
    // Numbered in the order of the search, whatever the hash.
    Ok(Lts::from_rows(initial, rows).reachable())
}
