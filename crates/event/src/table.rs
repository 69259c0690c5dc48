//! The entries of table chunks: the lines of 64 bytes that a thread has touched in the segment it is in.
//!
//! An entry is small because its position is part of its address. A line is stored at the [`slot`] of its address, or
//! at that slot with its highest bit flipped. The entry has the address from bit [`TAG_SHIFT`] on, and the slot gives
//! the bits below. The place that touched the line first is the number of a window of the program's code and an offset
//! in that window; the windows are listed in the header ([`crate::layout::header::WINDOWS`]).
//!
//! Little-endian: [`TAG`] and [`PLACE`] of four bytes, [`READS`] and [`WRITES`] of eight, one bit a byte of the line. A
//! tag of zero is an empty entry. Writers write it last.
//!
//! *What it misses*: [`fits`] is false for the first [`LOWEST`] bytes of memory, which systems keep unmapped, and for
//! addresses beyond those of four levels of page tables, which programs only get if they ask for them.

use crate::wire::Access;

/// Bytes of an entry.
pub const ENTRY_SIZE: usize = 24;
/// Offset of the tag.
pub const TAG: usize = 0;
/// Offset of the place.
pub const PLACE: usize = 4;
/// Offset of the bytes read.
pub const READS: usize = 8;
/// Offset of the bytes written.
pub const WRITES: usize = 16;

/// The tag holds the bits of an address from this one on.
pub const TAG_SHIFT: u32 = 16;
/// How far an address is shifted to the right and folded onto itself to find its slot. The hooks make eight tags of it.
pub const FOLD: u32 = TAG_SHIFT - 3;
/// Bits of an address within its line.
pub const LINE_BITS: u32 = 6;
/// The lowest address that an entry can stand for.
pub const LOWEST: u64 = 1 << TAG_SHIFT;
/// The smallest table: its slots give all the bits that a tag leaves out, except the flipped one.
pub const SMALLEST: usize = 1 << (TAG_SHIFT - LINE_BITS + 1);

/// The number of windows.
pub const WINDOWS: usize = 16;
/// Bits of an offset in a window.
pub const WINDOW_BITS: u32 = 28;
const _: () = assert!(WINDOWS << WINDOW_BITS == 1 << 32);

/// Can the line of this address be an entry?
#[inline]
pub const fn fits(address: u64) -> bool {
    (address >> TAG_SHIFT).wrapping_sub(1) < u32::MAX as u64
}

/// The tag of an address.
#[inline]
pub const fn tag(address: u64) -> u32 {
    (address >> TAG_SHIFT) as u32
}

/// The slot at which a line is looked up first, in a table with this mask (one less than its number of entries).
#[inline]
pub const fn slot(address: u64, mask: u32) -> u32 {
    (((address >> FOLD) ^ address) >> LINE_BITS) as u32 & mask
}

/// The value that an address is mixed with before its slot is computed, where lines are kept apart by program counter.
#[inline]
pub const fn pc_salt(pc: u64) -> u64 {
    pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 << LINE_BITS
}

/// The address of the line with this slot and tag: the inverse of [`tag`] and [`slot`].
#[inline]
pub const fn line(tag: u32, slot: u32, pc_salt: u64) -> u64 {
    const BELOW: u64 = (1 << (TAG_SHIFT - LINE_BITS)) - 1;
    let above = ((tag as u64) << TAG_SHIFT) ^ (pc_salt & !(LOWEST - 1));
    let below = (slot as u64 ^ above >> (FOLD + LINE_BITS)) & BELOW;
    (above | below << LINE_BITS) ^ pc_salt
}

/// A window's first address, as stored in the header: never zero, which marks an unused window.
#[inline]
pub const fn window(pc: u64) -> u64 {
    pc >> WINDOW_BITS << WINDOW_BITS | 1
}

/// A place: the number of its window, and its offset in that window.
#[inline]
pub const fn place(number: u32, pc: u64) -> u32 {
    number << WINDOW_BITS | pc as u32 & ((1 << WINDOW_BITS) - 1)
}

/// The number of a place's window.
#[inline]
pub const fn window_number(place: u32) -> usize {
    (place >> WINDOW_BITS) as usize
}

/// The program counter of a place in this window.
#[inline]
pub const fn pc(window: u64, place: u32) -> u64 {
    (window & !1) | (place & ((1 << WINDOW_BITS) - 1)) as u64
}

/// Reads the entry at a slot; `None` if it is empty. An error if its window is not in use.
///
/// # Errors
/// If the entry cannot have been written.
pub fn read(
    entry: &[u8; ENTRY_SIZE],
    slot: usize,
    windows: &[u64; WINDOWS],
    by_place: bool,
) -> Result<Option<Access>, NoWindow> {
    let half = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
    let whole = |at: usize| u64::from(half(at)) | u64::from(half(at + 4)) << 32;
    if half(TAG) == 0 {
        return Ok(None);
    }
    let place = half(PLACE);
    let pc = match windows[window_number(place)] {
        0 => return Err(NoWindow),
        window => pc(window, place),
    };
    let line = line(half(TAG), slot as u32, if by_place { pc_salt(pc) } else { 0 });
    Ok(Some(Access { line: line >> LINE_BITS, reads: whole(READS), writes: whole(WRITES), pc }))
}

/// An entry names an unused window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoWindow;

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: [u64; 7] =
        [LOWEST, LOWEST | 0xffc0, 0x40_1000, 0x5555_5555_4fc0, 0x7fff_ffff_ffc0, 0x7f12_3456_7880, (1 << 48) - 64];

    #[test]
    fn slots_and_tags_give_lines_back() {
        for address in ADDRESSES {
            assert!(fits(address));
            for entries in [SMALLEST, SMALLEST * 16] {
                let mask = entries as u32 - 1;
                for salt in [0, pc_salt(0x40_1234), pc_salt(0x7fff_f7a1_2345), pc_salt(u64::MAX)] {
                    let first = slot(address ^ salt, mask);
                    for slot in [first, first ^ (entries as u32 >> 1)] {
                        assert_eq!(line(tag(address), slot, salt), address, "{address:x} {entries} {salt:x}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_known() {
        assert!(!fits(0) && !fits(LOWEST - 1) && !fits(1 << 48) && !fits(u64::MAX));
    }

    #[test]
    fn places_give_program_counters_back() {
        for address in [0, 0x40_1234, 0x5555_5555_5678, 0x7fff_f7a1_2345] {
            let place = place(11, address);
            assert_eq!((window_number(place), pc(window(address), place)), (11, address));
        }
    }

    #[test]
    fn entries_are_read() {
        let (address, at) = (0x7f12_3456_7880, 0x5555_5555_5678);
        let mut windows = [0; WINDOWS];
        windows[3] = window(at);
        let mut bytes = [0; ENTRY_SIZE];
        let slot = slot(address, SMALLEST as u32 - 1) as usize;
        assert_eq!(read(&bytes, slot, &windows, false), Ok(None));
        bytes[TAG..PLACE].copy_from_slice(&tag(address).to_le_bytes());
        bytes[PLACE..READS].copy_from_slice(&place(3, at).to_le_bytes());
        bytes[READS..WRITES].copy_from_slice(&5u64.to_le_bytes());
        bytes[WRITES..].copy_from_slice(&(1u64 << 63).to_le_bytes());
        let access = Access { line: address / 64, reads: 5, writes: 1 << 63, pc: at };
        assert_eq!(read(&bytes, slot, &windows, false), Ok(Some(access)));
        windows[3] = 0;
        assert_eq!(read(&bytes, slot, &windows, false), Err(NoWindow));
    }
}
