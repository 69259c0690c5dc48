//! A copy of what comes through a pipe, for as long as something comes.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

/// How far a copy came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copied {
    /// To the end.
    Whole,
    /// So many bytes came, and then nothing for a while, although the other end is still open.
    Paused(u64),
    /// There was more than is copied.
    TooLarge(u64),
}

/// How much is copied, and how long the copy waits for more.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes.
    pub size: u64,
    /// The longest pause.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { size: 256 << 20, pause: Duration::from_secs(1) }
    }
}

/// Copies what comes until the end, a long pause, or too much of it.
pub fn copy(from: impl AsFd, to: &mut impl Write, limits: Limits) -> io::Result<Copied> {
    let mut file = File::from(from.as_fd().try_clone_to_owned()?);
    let (mut buffer, mut copied) = (vec![0; 1 << 16], 0);
    loop {
        if copied >= limits.size {
            return Ok(Copied::TooLarge(copied));
        }
        if !comes(&file, limits.pause)? {
            return Ok(Copied::Paused(copied));
        }
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(Copied::Whole);
        }
        to.write_all(&buffer[..count])?;
        copied += count as u64;
    }
}

/// Is there something to read, or the end, within this time?
fn comes(file: &File, pause: Duration) -> io::Result<bool> {
    let pause = Timespec::try_from(pause).map_err(io::Error::other)?;
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&pause)) {
        // A signal: whoever sent it looks at the flag that it raised.
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
        Ok(ready) => Ok(ready > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Limits = Limits { size: 100, pause: Duration::from_millis(20) };

    fn copied(sent: &[u8], closes: bool) -> (Vec<u8>, Copied) {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(sent).unwrap();
        let open = (!closes).then_some(writer);
        let mut copy = Vec::new();
        let how = super::copy(&reader, &mut copy, SHORT).unwrap();
        drop(open);
        (copy, how)
    }

    #[test]
    fn what_came_is_copied_whether_or_not_more_could_come() {
        assert_eq!(copied(b"all", true), (b"all".to_vec(), Copied::Whole));
        assert_eq!(copied(b"some", false), (b"some".to_vec(), Copied::Paused(4)));
        assert_eq!(copied(b"", false), (Vec::new(), Copied::Paused(0)));
        assert_eq!(copied(&[7; 300], true).1, Copied::TooLarge(300));
    }
}
