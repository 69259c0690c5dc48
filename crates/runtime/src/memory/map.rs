//! A hash table from words to words, in memory of our own. Small, behind a lock, for what is rare: threads, objects
//! seen before the first thread, file descriptors.

use crate::memory::arena;

/// Keys are not zero.
pub struct Map {
    slots: *mut [u64; 2],
    capacity: usize,
    used: usize,
}

// SAFETY: the slots are memory of our own that no one else points to.
unsafe impl Send for Map {}

impl Map {
    /// Empty; takes no memory.
    pub const fn new() -> Self {
        Self { slots: core::ptr::null_mut(), capacity: 0, used: 0 }
    }

    fn slots(&self) -> &[[u64; 2]] {
        if self.capacity == 0 {
            return &[];
        }
        // SAFETY: `slots` points to `capacity` initialised (zeroed) slots.
        unsafe { core::slice::from_raw_parts(self.slots, self.capacity) }
    }

    fn slots_mut(&mut self) -> &mut [[u64; 2]] {
        if self.capacity == 0 {
            return &mut [];
        }
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.slots, self.capacity) }
    }

    /// Where the key is, or the free slot where it would be.
    fn find(&self, key: u64) -> Option<usize> {
        let mask = self.capacity.wrapping_sub(1);
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        let slots = self.slots();
        for _ in 0..slots.len() {
            if slots[at][0] == key || slots[at][0] == 0 {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// The key's value.
    pub fn get(&self, key: u64) -> Option<u64> {
        let slot = self.slots().get(self.find(key)?)?;
        (slot[0] == key).then_some(slot[1])
    }

    /// The key's value, to be changed; a new key starts with zero. None if there is no memory.
    pub fn entry(&mut self, key: u64) -> Option<&mut u64> {
        if self.used * 4 >= self.capacity * 3 {
            self.grow()?;
        }
        let at = self.find(key)?;
        if self.slots()[at][0] == 0 {
            self.used += 1;
            self.slots_mut()[at] = [key, 0];
        }
        Some(&mut self.slots_mut()[at][1])
    }

    fn grow(&mut self) -> Option<()> {
        let capacity = (self.capacity * 2).max(64);
        let slots = arena::allocate(capacity * size_of::<[u64; 2]>())?.cast();
        let mut larger = Self { slots, capacity, used: 0 };
        for &[key, value] in self.slots() {
            if key != 0 {
                let at = larger.find(key)?;
                larger.slots_mut()[at] = [key, value];
                larger.used += 1;
            }
        }
        *self = larger;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Map;

    #[test]
    fn agrees_with_the_standard_library() {
        let mut map = Map::new();
        let mut model = std::collections::HashMap::new();
        let mut generator = foretrace_event::Random::new(1);
        for _ in 0..if cfg!(miri) { 500 } else { 20_000 } {
            let random = generator.word();
            let key = (random >> 40) % 3000 + 1;
            if random & 1 == 0 {
                *map.entry(key).expect("memory") = random;
                model.insert(key, random);
            }
            assert_eq!(map.get(key), model.get(&key).copied());
        }
    }
}
