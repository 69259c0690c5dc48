use super::*;

#[test]
fn blocks_split_at_the_ends_of_lines() {
    let parts = |address, size| {
        let mut parts = Vec::new();
        split(address, size, |at, mask| parts.push((at, mask)));
        parts
    };
    assert_eq!(parts(128, 64), [(128, u64::MAX)]);
    assert_eq!(parts(126, 4), [(126, 3 << 62), (128, 3)]);
    assert_eq!(parts(usize::MAX - 1, 8), [(usize::MAX - 1, 1 << 62)]);
}

#[test]
fn slots_are_in_the_table() {
    for address in [0, 63, 64, u64::MAX, 0x7fff_ffff_ffff] {
        for size in [SMALL, LARGE] {
            let mask = slot_mask(size);
            assert!((slot(address, mask) as usize) < size);
            assert!((other(slot(address, mask), mask) as usize) < size);
            assert_eq!(other(other(slot(address, mask), mask), mask), slot(address, mask));
        }
    }
}

/// What a table hands over, against a map of what was noted.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn nothing_is_lost_or_moved() {
    #[derive(Default)]
    struct Seen(std::collections::BTreeMap<(u64, u64), [u64; 2]>);
    impl Sink for Seen {
        fn take(&mut self, access: &Access) {
            let masks = self.0.entry((access.line, access.pc)).or_default();
            masks[0] |= access.reads;
            masks[1] |= access.writes;
        }
    }
    for (by_place, size) in [(false, SMALL), (true, SMALL), (false, LARGE), (true, LARGE)] {
        let mut memory = vec![0u64; size * ENTRY_SIZE / 8];
        // SAFETY: zero bytes are valid for all fields.
        let mut lines: Lines = unsafe { core::mem::zeroed() };
        assert!(lines.init(memory.as_mut_ptr().cast(), size, by_place));
        let (mut seen, mut expected) = (Seen::default(), Seen::default());
        let mut random = 1u64;
        for _ in 0..200_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let base = [0x1000, 0x40_0000, 0x5555_5555_0000, 0x7fff_f000_0000, 1 << 60][(random >> 33) as usize % 5];
            let address = base + (random >> 40) % (1 << 20);
            let pc = if by_place { 0x5555_5555_0000 * (1 + (random >> 60) % 2) + (random >> 36) % 4 } else { 7 };
            let (reads, writes) = (1 << (address % 64), (random >> 62 & 1) << (address % 64));
            let kind = if writes == 0 { READ } else { READ | WRITE };
            if !by_place || !lines.add_at_place(address as usize, 1, kind, pc as usize) {
                lines.touch(&mut seen, address as usize, reads, writes, pc as usize);
            }
            expected.take(&Access { line: address / 64, reads, writes, pc });
        }
        assert!(size == SMALL || lines.count > LISTED, "more than the list holds");
        lines.flush(&mut seen);
        assert_eq!(seen.0, expected.0);
        assert!(memory.chunks(3).all(|entry| entry[0] as u32 == 0));
    }
}
