//! States in files, once they no longer fit the memory.
//!
//! A worker whose shards have grown too large writes all states but those of the newest depth to two unnamed files: a
//! *history*, depth by depth, from which the path to a state is reconstructed; and a sorted *run*, shard by shard. What
//! is found afterwards may have been found before: at the end of each depth the new states are compared with the runs,
//! and those that are known are dropped before they are expanded (delayed duplicate detection; Korf, *Best-first
//! frontier search with delayed duplicate detection*, AAAI 2004). Two depths must fit the memory, the rest need not.

use super::store::Shard;
use crate::budget::{Limit, Spilling};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;

/// States that are read at once.
const CHUNK: usize = 4096;
/// A shard of a run is searched instead of read if it has this many times more states than there are new ones.
const FEW: u64 = 64;

/// The states that one worker has written.
pub struct Spill<const W: usize> {
    to: Spilling,
    history: Option<File>,
    /// Depth, first state and number of states of each stretch of the history.
    layers: Vec<(u32, u64, u64)>,
    runs: Vec<Run>,
    written: u64,
}

/// A sorted file.
struct Run {
    file: File,
    /// Where each shard begins, and where the last one ends.
    starts: Vec<u64>,
}

fn failed(error: std::io::Error) -> Limit {
    Limit::File(error.to_string())
}

impl<const W: usize> Spill<W> {
    /// The share of one of several workers.
    pub fn new(all: &Spilling, workers: usize) -> Self {
        let share = |bytes: u64| bytes / workers as u64;
        let to = Spilling { max_disk: share(all.max_disk), from: share(all.from), ..all.clone() };
        Spill { to, history: None, layers: Vec::new(), runs: Vec::new(), written: 0 }
    }

    /// Whether shards with this many bytes are to be written.
    pub fn is_due(&self, bytes: u64) -> bool {
        bytes > self.to.from
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Writes all states but those of the newest depth, and forgets them.
    pub fn write(&mut self, shards: &mut [Shard<W>]) -> Result<(), Limit> {
        let count: u64 = shards.iter().map(|shard| shard.old().len() as u64).sum();
        // Every state is in the history and in a run.
        if (self.written + count) * W as u64 * 16 > self.to.max_disk {
            return Err(Limit::Disk(self.to.max_disk));
        }
        self.write_history(shards).map_err(failed)?;
        let mut out = BufWriter::new(self.new_file().map_err(failed)?);
        let mut starts = vec![0];
        for shard in shards {
            let mut old = shard.take_old();
            old.sort_unstable();
            old.iter().try_for_each(|key| write(&mut out, key)).map_err(failed)?;
            starts.push(starts[starts.len() - 1] + old.len() as u64);
        }
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        self.runs.push(Run { file, starts });
        Ok(())
    }

    fn write_history(&mut self, shards: &[Shard<W>]) -> std::io::Result<()> {
        let history = match self.history.take() {
            Some(history) => history,
            None => self.new_file()?,
        };
        let mut depths: Vec<u32> = shards.iter().flat_map(Shard::old_depths).collect();
        depths.sort_unstable();
        depths.dedup();
        let mut out = BufWriter::new(&history);
        for depth in depths {
            let from = self.written;
            for shard in shards {
                shard.layer(depth).iter().try_for_each(|key| write(&mut out, key))?;
                self.written += shard.layer(depth).len() as u64;
            }
            self.layers.push((depth, from, self.written - from));
        }
        out.flush()?;
        drop(out);
        self.history = Some(history);
        Ok(())
    }

    fn new_file(&self) -> std::io::Result<File> {
        tempfile::tempfile_in(&self.to.directory)
    }

    /// Drops the newest states of a shard that were written before; answers how many there were.
    pub fn drop_known(&self, number: usize, shard: &mut Shard<W>) -> Result<u64, Limit> {
        let newest = shard.newest();
        if newest.is_empty() {
            return Ok(0);
        }
        newest.sort_unstable();
        let mut known = vec![false; newest.len()];
        for run in &self.runs {
            run.mark(number, newest, &mut known).map_err(failed)?;
        }
        Ok(shard.keep_newest(&known))
    }

    /// Calls a function with the states of one depth, until it fails.
    pub fn layer(&self, depth: u32, each: &mut impl FnMut(&[u64; W]) -> Result<(), Limit>) -> Result<(), Limit> {
        let Some(history) = &self.history else { return Ok(()) };
        for &(_, from, count) in self.layers.iter().filter(|(d, ..)| *d == depth) {
            stretch(history, from..from + count, |keys: &[[u64; W]]| keys.iter().try_for_each(&mut *each))?;
        }
        Ok(())
    }
}

impl Run {
    /// Marks the states of a sorted list that are in the run.
    fn mark<const W: usize>(&self, shard: usize, keys: &[[u64; W]], known: &mut [bool]) -> std::io::Result<()> {
        let (from, to) = (self.starts[shard], self.starts[shard + 1]);
        if keys.len() as u64 * FEW < to - from {
            for (key, known) in keys.iter().zip(known) {
                *known |= self.contains(key, from, to)?;
            }
            return Ok(());
        }
        let mut at = 0;
        let marked = stretch(&self.file, from..to, |stored: &[[u64; W]]| {
            for key in stored {
                while at < keys.len() && keys[at] < *key {
                    at += 1;
                }
                if at == keys.len() {
                    break;
                }
                known[at] |= keys[at] == *key;
            }
            Ok(())
        });
        marked.map_err(|limit| std::io::Error::other(limit.to_string()))
    }

    fn contains<const W: usize>(&self, key: &[u64; W], mut from: u64, mut to: u64) -> std::io::Result<bool> {
        let mut bytes = vec![0u8; W * 8];
        while from < to {
            let middle = from + (to - from) / 2;
            self.file.read_exact_at(&mut bytes, middle * W as u64 * 8)?;
            match read::<W>(&bytes).cmp(key) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(true),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Ok(false)
    }
}

/// Reads states from a file, some at a time.
fn stretch<const W: usize>(
    file: &File,
    states: std::ops::Range<u64>,
    mut each: impl FnMut(&[[u64; W]]) -> Result<(), Limit>,
) -> Result<(), Limit> {
    let mut bytes = vec![0u8; CHUNK * W * 8];
    let mut at = states.start;
    while at < states.end {
        let count = (states.end - at).min(CHUNK as u64) as usize;
        let bytes = &mut bytes[..count * W * 8];
        file.read_exact_at(bytes, at * W as u64 * 8).map_err(failed)?;
        let keys: Vec<[u64; W]> = bytes.chunks_exact(W * 8).map(read).collect();
        each(&keys)?;
        at += count as u64;
    }
    Ok(())
}

fn write<const W: usize>(out: &mut impl Write, key: &[u64; W]) -> std::io::Result<()> {
    key.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

fn read<const W: usize>(bytes: &[u8]) -> [u64; W] {
    let mut words = bytes.chunks_exact(8);
    [(); W].map(|()| words.next().map_or(0, |word| u64::from_le_bytes(word.try_into().expect("eight bytes"))))
}
