//! A file of words of eight bytes that the tool shares with a running program: mapped, because an execution takes less time than
//! the system calls that would read and write it.
//!
//! The program may write to it whenever it likes. So every word is read by itself, once, and what was read is checked.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A mapped file.
pub struct Words {
    file: File,
    at: NonNull<AtomicU64>,
    count: usize,
}

#[allow(unsafe_code)]
// SAFETY: the words are atomic, and the mapping belongs to this value.
unsafe impl Send for Words {}

impl Words {
    /// Makes a file as long as so many words, and maps it.
    #[allow(unsafe_code)]
    pub fn map(file: File, count: usize) -> io::Result<Self> {
        file.set_len(8 * count as u64)?;
        // SAFETY: a new mapping, wherever there is room.
        let at = unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(std::ptr::null_mut(), 8 * count, rights, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        match NonNull::new(at.cast::<AtomicU64>()) {
            Some(at) if at.as_ptr().cast() != libc::MAP_FAILED => Ok(Self { file, at, count }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Is the file as long as it was? Otherwise the program has cut it off, and its words are gone.
    pub fn check(&self) -> io::Result<()> {
        match self.file.metadata()?.len() >= 8 * self.count as u64 {
            true => Ok(()),
            false => Err(io::Error::new(io::ErrorKind::InvalidData, "the program has cut off a file of the tool")),
        }
    }

    #[allow(unsafe_code)]
    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at < self.count, "a word of the file");
        // SAFETY: the mapping has this many words, and is there as long as this value.
        unsafe { self.at.add(at).as_ref() }
    }

    /// A word.
    pub fn get(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    /// So many words from one on.
    pub fn read<const N: usize>(&self, at: usize) -> [u64; N] {
        std::array::from_fn(|offset| self.get(at + offset))
    }

    /// Writes words from one on.
    pub fn write(&self, at: usize, words: impl IntoIterator<Item = u64>) {
        words.into_iter().enumerate().for_each(|(offset, word)| self.word(at + offset).store(word, Ordering::Relaxed));
    }
}

impl Drop for Words {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, and nothing refers to it any more.
        unsafe { libc::munmap(self.at.as_ptr().cast(), 8 * self.count) };
    }
}

#[cfg(test)]
mod tests {
    use super::Words;
    use std::io::Read;

    #[test]
    fn what_is_written_is_in_the_file() {
        let path = std::env::temp_dir().join(format!("words-{}", std::process::id()));
        let open = || std::fs::File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let words = Words::map(open().unwrap(), 1000).unwrap();
        words.write(998, [7, 9]);
        assert_eq!((words.read(998), words.get(0)), ([7, 9], 0));
        let mut bytes = Vec::new();
        open().unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!((bytes.len(), bytes[8 * 999]), (8000, 9));
        assert!(words.check().is_ok());
        open().unwrap().set_len(100).unwrap();
        assert!(words.check().is_err());
        std::fs::remove_file(path).unwrap();
    }
}
