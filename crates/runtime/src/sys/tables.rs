//! The symbol tables that the loader has mapped with a module, read where they lie. Nothing here calls a function of libc
//! or of the loader, so that functions can be found before libc is ready and while the loader is at work.

use core::ffi::{CStr, c_char};
use libc::Elf64_Sym;

/// An entry of the dynamic section.
#[repr(C)]
pub struct Dynamic {
    tag: i64,
    value: u64,
}

const DT_NULL: i64 = 0;
const DT_HASH: i64 = 4;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
pub const DT_DEBUG: i64 = 21;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_VERSYM: i64 = 0x6fff_fff0;
const DT_VERDEF: i64 = 0x6fff_fffc;

const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;
const SHN_UNDEF: u16 = 0;
const SHN_ABS: u16 = 0xfff1;
/// A version that is not the default one of its symbol.
const VERSION_HIDDEN: u16 = 0x8000;

/// A module's tables.
#[derive(Clone, Copy)]
pub struct Tables {
    base: usize,
    dynamic: *const Dynamic,
}

/// A definition of a version, as `elf.h` lays it out, and the name that follows it.
#[repr(C)]
struct Verdef {
    revision: u16,
    flags: u16,
    index: u16,
    names: u16,
    hash: u32,
    first_name: u32,
    next: u32,
}

impl Tables {
    /// The tables of a module that was loaded at `base` and whose dynamic section lies there.
    ///
    /// # Safety
    ///
    /// The section and what it names must stay mapped while the tables are used.
    pub const unsafe fn new(base: usize, dynamic: *const Dynamic) -> Self {
        Self { base, dynamic }
    }

    /// The value of an entry of the dynamic section.
    pub fn value(&self, tag: i64) -> Option<usize> {
        let mut entry = self.dynamic;
        // SAFETY: the dynamic section is mapped and ends with an entry of tag zero.
        unsafe {
            while (*entry).tag != DT_NULL {
                if (*entry).tag == tag {
                    return Some((*entry).value as usize);
                }
                entry = entry.add(1);
            }
        }
        None
    }

    /// An address from the dynamic section; the loader has added the base to most.
    fn address(&self, tag: i64) -> Option<usize> {
        self.value(tag).map(|value| if value < self.base { value + self.base } else { value })
    }

    fn symbol(&self, index: u32) -> Option<&Elf64_Sym> {
        let symbols = self.address(DT_SYMTAB)? as *const Elf64_Sym;
        // SAFETY: the index comes from the module's own hash table.
        unsafe { symbols.add(index as usize).as_ref() }
    }

    fn text(&self, offset: u32) -> &CStr {
        let strings = self.address(DT_STRTAB).unwrap_or(0) as *const c_char;
        // SAFETY: names lie in the string table and end with zero.
        unsafe { CStr::from_ptr(strings.add(offset as usize)) }
    }

    /// How many symbols there are, or at least how many before the first that is defined.
    fn symbol_count(&self) -> Option<usize> {
        let table = self.address(DT_GNU_HASH).or_else(|| self.address(DT_HASH))? as *const u32;
        // SAFETY: both tables begin with words; the loader maps them with the module.
        Some(unsafe { table.add(1).read() } as usize)
    }

    /// Does the module use a symbol of this name that another one defines?
    pub fn imports(&self, name: &CStr) -> bool {
        let count = self.symbol_count().unwrap_or(0) as u32;
        (0..count).any(|index| {
            self.symbol(index).is_some_and(|symbol| symbol.st_shndx == SHN_UNDEF && self.text(symbol.st_name) == name)
        })
    }

    /// The function of that name, in that version or in the default one.
    pub fn function(&self, name: &CStr, version: Option<&CStr>) -> Option<usize> {
        let mut found = None;
        self.each_of_hash(name, |index| {
            let symbol = self.symbol(index)?;
            let fits = is_function(symbol) && self.text(symbol.st_name) == name && self.has_version(index, version);
            found = fits.then(|| self.entry(symbol));
            found
        });
        found
    }

    /// Where a function begins. One that chooses among several for this processor is asked for its choice.
    fn entry(&self, symbol: &Elf64_Sym) -> usize {
        let at = symbol.st_value as usize + if symbol.st_shndx == SHN_ABS { 0 } else { self.base };
        if symbol.st_info & 15 != STT_GNU_IFUNC {
            return at;
        }
        // SAFETY: a symbol of this type is a function without arguments that returns the address to call.
        unsafe { core::mem::transmute::<usize, extern "C" fn() -> usize>(at)() }
    }

    /// Calls `visit` with the symbols that may have the name until it has an answer.
    fn each_of_hash(&self, name: &CStr, visit: impl FnMut(u32) -> Option<usize>) {
        // SAFETY: the tables are mapped with the module and have the layout of their kind.
        unsafe {
            match self.address(DT_GNU_HASH) {
                Some(table) => each_of_gnu_hash(table as *const u32, gnu_hash(name), visit),
                None => {
                    if let Some(table) = self.address(DT_HASH) {
                        each_of_sysv_hash(table as *const u32, sysv_hash(name), visit);
                    }
                }
            }
        }
    }

    fn has_version(&self, index: u32, version: Option<&CStr>) -> bool {
        let Some(versions) = self.address(DT_VERSYM) else { return true };
        // SAFETY: there is a version for each symbol.
        let own = unsafe { (versions as *const u16).add(index as usize).read() };
        match version {
            None => own & VERSION_HIDDEN == 0,
            Some(version) => self.is_version(own & !VERSION_HIDDEN, version),
        }
    }

    /// Is this the name of the version of that index?
    fn is_version(&self, index: u16, name: &CStr) -> bool {
        let Some(mut at) = self.address(DT_VERDEF) else { return false };
        // SAFETY: the definitions are a list with offsets from one to the next; the last has none.
        unsafe {
            loop {
                let version = &*(at as *const Verdef);
                if version.index == index {
                    let text = ((at + version.first_name as usize) as *const u32).read();
                    return self.text(text) == name;
                }
                if version.next == 0 {
                    return false;
                }
                at += version.next as usize;
            }
        }
    }
}

fn is_function(symbol: &Elf64_Sym) -> bool {
    let kind = symbol.st_info & 15;
    let local = symbol.st_info >> 4 == 0;
    symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && !local && (kind == STT_FUNC || kind == STT_GNU_IFUNC)
}

fn gnu_hash(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(5381, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

fn sysv_hash(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(0, |hash: u32, byte| {
        let hash = hash.wrapping_shl(4).wrapping_add(u32::from(*byte));
        let top = hash & 0xf000_0000;
        (hash ^ top >> 24) & !top
    })
}

/// The table: number of buckets, first symbol, words of the filter, its shift; the filter; the buckets; the chains.
unsafe fn each_of_gnu_hash(table: *const u32, hash: u32, mut visit: impl FnMut(u32) -> Option<usize>) {
    // SAFETY: the caller's table has this layout; the last entry of a chain has its lowest bit set.
    unsafe {
        let [buckets, first, words, shift] = [0, 1, 2, 3].map(|at| table.add(at).read());
        let filter = table.add(4).cast::<u64>();
        let word = filter.add((hash / 64 % words) as usize).read();
        let mask = 1u64 << (hash % 64) | 1 << ((hash >> shift) % 64);
        if buckets == 0 || word & mask != mask {
            return;
        }
        let bucket = filter.add(words as usize).cast::<u32>();
        let chain = bucket.add(buckets as usize);
        let mut index = bucket.add((hash % buckets) as usize).read();
        while index >= first {
            let entry = chain.add((index - first) as usize).read();
            if (entry ^ hash) >> 1 == 0 && visit(index).is_some() || entry & 1 != 0 {
                return;
            }
            index += 1;
        }
    }
}

/// The table: number of buckets, number of symbols; the buckets; the chains.
unsafe fn each_of_sysv_hash(table: *const u32, hash: u32, mut visit: impl FnMut(u32) -> Option<usize>) {
    // SAFETY: the caller's table has this layout; chains end with zero.
    unsafe {
        let (buckets, bucket) = (table.read(), table.add(2));
        if buckets == 0 {
            return;
        }
        let chain = bucket.add(buckets as usize);
        let mut index = bucket.add((hash % buckets) as usize).read();
        while index != 0 && visit(index).is_none() {
            index = chain.add(index as usize).read();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::linkmap;

    #[test]
    fn the_loader_finds_the_same_functions() {
        for name in [c"malloc", c"free", c"pthread_create", c"memcpy", c"strlen", c"time", c"sem_open", c"qsort"] {
            // SAFETY: the name ends with zero.
            let expected = unsafe { libc::dlsym(core::ptr::null_mut(), name.as_ptr()) } as usize;
            assert_eq!(linkmap::next_function(name, None), Some(expected), "{name:?}");
        }
        assert_eq!(linkmap::next_function(c"no_such_function", None), None);
    }

    #[test]
    fn versions_are_told_apart() {
        let [old, new] = [c"GLIBC_2.2.5", c"GLIBC_2.3.2"].map(|version| {
            // SAFETY: the strings end with zero.
            let expected =
                unsafe { libc::dlvsym(core::ptr::null_mut(), c"pthread_cond_wait".as_ptr(), version.as_ptr()) };
            let found = linkmap::next_function(c"pthread_cond_wait", Some(version));
            assert_eq!(found, Some(expected as usize));
            found
        });
        assert_ne!(old, new);
        assert_eq!(linkmap::next_function(c"pthread_cond_wait", None), new);
    }

    #[test]
    fn hashes_are_those_of_the_formats() {
        assert_eq!(gnu_hash(c"printf"), 0x156b_2bb8);
        assert_eq!(sysv_hash(c"printf"), 0x0779_05a6);
    }
}
