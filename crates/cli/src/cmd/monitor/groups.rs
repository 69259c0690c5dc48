//! Which bytes of memory are accessed together.

use super::pipe::{Pipe, piped};
use super::places::Borders;
use foretrace_event::wire::{Access, Record};
use foretrace_trace::Recording;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The bytes of every line in groups that are always accessed together: what a variable is, seen from outside.
///
/// Few lines are divided in a way of their own: they share those there are, by number.
#[derive(Default)]
pub struct Groups {
    lines: Lines,
    ways: Vec<Arc<[u64]>>,
    numbers: FxHashMap<Arc<[u64]>, u32>,
}

impl Groups {
    pub fn of(recording: &Recording, borders: &Borders) -> anyhow::Result<Groups> {
        let mut groups = Groups::default();
        let read = |pipe: &mut Pipe<Access>| {
            let mut recent = Recent::default();
            for index in 0..recording.threads().len() {
                for entry in recording.records(index) {
                    if let Record::Access(access) = entry?.record
                        && recent.is_new(&access)
                        && !pipe.send(access)
                    {
                        return Ok(());
                    }
                }
            }
            Ok(())
        };
        piped(read, |access| {
            groups.with(&access, borders);
            Ok(true)
        })?;
        Ok(groups)
    }

    /// The groups of a line that is accessed, with this access.
    pub fn with(&mut self, access: &Access, borders: &Borders) -> &[u64] {
        let known = self.lines.get(access.line);
        if let Some(way) = known
            && [access.reads, access.writes].iter().all(|mask| is_divided(&self.ways[way as usize], *mask))
        {
            return &self.ways[way as usize];
        }
        let mut groups = known.map_or(Vec::new(), |way| self.ways[way as usize].to_vec());
        refine(&mut groups, access.line, access.reads, borders);
        refine(&mut groups, access.line, access.writes, borders);
        let way = self.number(groups.into());
        self.lines.set(access.line, way);
        &self.ways[way as usize]
    }

    fn number(&mut self, groups: Arc<[u64]>) -> u32 {
        *self.numbers.entry(groups).or_insert_with_key(|groups| {
            self.ways.push(groups.clone());
            self.ways.len() as u32 - 1
        })
    }

    #[inline]
    pub fn of_line(&mut self, line: u64) -> &[u64] {
        self.lines.get(line).map_or(&[], |way| &self.ways[way as usize])
    }
}

/// Lines that are next to each other, and are mostly accessed one after the other.
const PAGE: u64 = 64;

/// A number for each line, kept a page at a time.
struct Lines {
    pages: FxHashMap<u64, usize>,
    /// The numbers of the lines of each page, plus one; zero where there is none.
    numbers: Vec<[u32; PAGE as usize]>,
    /// The last page and where its numbers are.
    last: (u64, usize),
}

impl Default for Lines {
    fn default() -> Self {
        Lines { pages: FxHashMap::default(), numbers: Vec::new(), last: (u64::MAX, 0) }
    }
}

impl Lines {
    #[inline]
    fn get(&mut self, line: u64) -> Option<u32> {
        self.place(line).checked_sub(1)
    }

    fn set(&mut self, line: u64, number: u32) {
        *self.place(line) = number + 1;
    }

    #[inline]
    fn place(&mut self, line: u64) -> &mut u32 {
        if self.last.0 != line / PAGE {
            self.last = (line / PAGE, self.page(line / PAGE));
        }
        &mut self.numbers[self.last.1][(line % PAGE) as usize]
    }

    fn page(&mut self, page: u64) -> usize {
        *self.pages.entry(page).or_insert_with(|| {
            self.numbers.push([0; PAGE as usize]);
            self.numbers.len() - 1
        })
    }
}

/// How many lines are remembered; a power of two.
const RECENT: usize = 1024;

/// Which bytes were accessed of lines that were accessed recently: the same again says nothing new.
struct Recent(Vec<(u64, u64, u64)>);

impl Default for Recent {
    fn default() -> Self {
        Recent(vec![(u64::MAX, 0, 0); RECENT])
    }
}

impl Recent {
    #[inline]
    fn is_new(&mut self, access: &Access) -> bool {
        let now = (access.line, access.reads, access.writes);
        std::mem::replace(&mut self.0[access.line as usize & (RECENT - 1)], now) != now
    }
}

/// Whether the mask consists of whole groups.
#[inline]
fn is_divided(groups: &[u64], mask: u64) -> bool {
    let whole = |part: u64, group: &u64| part | if group & mask == *group { *group } else { 0 };
    groups.iter().fold(0, whole) == mask
}

/// Splits the groups of a line so that each lies within the mask or outside of it.
fn refine(groups: &mut Vec<u64>, line: u64, mask: u64, borders: &Borders) {
    // Mostly nothing changes.
    if is_divided(groups, mask) {
        return;
    }
    let known = groups.iter().fold(0, |all, group| all | group);
    for index in 0..groups.len() {
        let (inside, outside) = (groups[index] & mask, groups[index] & !mask);
        if inside != 0 && outside != 0 {
            groups[index] = inside;
            groups.push(outside);
        }
    }
    if mask & !known != 0 {
        groups.extend(borders.split(line, mask & !known));
    }
    groups.sort_by_key(|group| group.trailing_zeros());
}
