//! The file of records, from the tool's side. The program may have overwritten it.

use foretrace_event::symbolic::{MAGIC, MOST_RECORDS, RECORD_WORDS, Record, flags};
use foretrace_explore::Step;

/// A followed run.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Its steps.
    pub steps: Vec<Step>,
    /// What became of the values. The first record has the number 1.
    pub records: Vec<Record>,
    /// The run was longer than what could be followed.
    pub is_cut: bool,
}

/// The program has overwritten what it shares with the tool, or the runtime is another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// Not such a file.
    #[error("the file of followed values does not begin as it must: was the program built with another version?")]
    Header,
    /// A record that does not exist.
    #[error("the program has overwritten the record {0} of its followed values")]
    Record(usize),
}

/// Reads the records of a run with these steps.
///
/// # Errors
/// If the file is malformed.
pub fn read(bytes: &[u8], steps: Vec<Step>) -> Result<Followed, Malformed> {
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let [MAGIC, count, notes, ..] = words[..] else { return Err(Malformed::Header) };
    let count = usize::try_from(count).ok().filter(|count| (1..=MOST_RECORDS).contains(count));
    let count = count.ok_or(Malformed::Header)?;
    let all = words.chunks(RECORD_WORDS).enumerate().take(count).skip(1);
    let records =
        all.map(|(at, words)| Record::from_words(words).ok_or(Malformed::Record(at))).collect::<Result<_, _>>()?;
    Ok(Followed { steps, records, is_cut: notes & flags::FULL != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use foretrace_event::symbolic::{Moment, Why};

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn records_are_read_up_to_their_number() {
        let record = Record::Fact(Moment { thread: 1, step: 2 }, Why::Branch, 3, 4, 5);
        let words = [vec![MAGIC, 2, flags::FULL, 0], record.words().to_vec(), vec![0; 8]].concat();
        let followed = read(&bytes(&words), Vec::new()).unwrap();
        assert_eq!((followed.records, followed.is_cut), (vec![record], true));
    }

    #[test]
    fn other_files_are_refused() {
        for words in [vec![], vec![MAGIC, 0, 0, 0], vec![MAGIC, u64::MAX, 0, 0], vec![1, 1, 0, 0]] {
            assert_eq!(read(&bytes(&words), Vec::new()).unwrap_err(), Malformed::Header);
        }
        let words = [MAGIC, 2, 0, 0, 99, 0, 0, 0];
        assert_eq!(read(&bytes(&words), Vec::new()).unwrap_err(), Malformed::Record(1));
    }
}
