//! Sets of streams, one bit each.

#[inline(always)]
pub fn has(bits: &[u64], node: u32) -> bool {
    bits[node as usize / 64] >> (node % 64) & 1 == 1
}

#[inline(always)]
pub fn set(bits: &mut [u64], node: u32) {
    bits[node as usize / 64] |= 1 << (node % 64);
}

#[inline(always)]
pub fn clear(bits: &mut [u64], node: u32) {
    bits[node as usize / 64] &= !(1 << (node % 64));
}
