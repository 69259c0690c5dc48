//! The names that are nearest to a name that was not found.

/// Names longer than this are not compared.
const LONGEST: usize = 256;

/// At most three of the names that differ in the fewest characters; none that differs in more than a third.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let bound = 1 + wanted.chars().count() / 3;
    let close = |name: &&'a str| name.len() <= LONGEST && name.len().abs_diff(wanted.len()) <= 4 * bound;
    let mut known: Vec<(usize, &str)> =
        names.filter(close).map(|name| (distance(wanted, name), name)).filter(|(far, _)| *far <= bound).collect();
    known.sort_unstable();
    known.dedup();
    known.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How many characters must be inserted, removed or replaced.
fn distance(first: &str, second: &str) -> usize {
    let second: Vec<char> = second.chars().collect();
    let mut row: Vec<usize> = (0..=second.len()).collect();
    for (line, one) in first.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in second.iter().enumerate() {
            let replaced = diagonal + usize::from(one != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[second.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["open_file", "close_file", "main", "open_files"];
        assert_eq!(nearest("open_fil", names.into_iter()), ["open_file", "open_files"]);
        assert!(nearest("sqlite3_step", names.into_iter()).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
