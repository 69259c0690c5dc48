//! A sample of many similar items.

/// This many of the items, spread from the first to the last.
pub fn spread<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (count, last) = (all.len().min(most), all.len().saturating_sub(1));
    (0..count).map(move |one| &all[one * last / (count - 1).max(1)])
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn the_first_and_the_last_are_among_them() {
        assert_eq!(spread(&[1, 2, 3, 4, 5, 6, 7], 3).collect::<Vec<_>>(), [&1, &4, &7]);
        assert_eq!(spread(&[1, 2], 3).collect::<Vec<_>>(), [&1, &2]);
        assert_eq!(spread(&[1, 2, 3], 1).collect::<Vec<_>>(), [&1]);
        assert_eq!(spread::<u8>(&[], 3).count(), 0);
    }
}
