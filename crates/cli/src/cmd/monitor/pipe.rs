//! Reading in one thread, evaluating in another.
//!
//! Decoding a recording and putting its records in order takes about as long as evaluating them, and neither needs the
//! other's data. Values of streams are counted references of one thread, so what is handed over are records.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Records that are handed over at once.
const BATCH: usize = 4096;
/// Batches that may wait.
const WAITING: usize = 4;

/// The reader's end.
pub struct Pipe<T> {
    batch: Vec<T>,
    to: SyncSender<Vec<T>>,
}

impl<T> Pipe<T> {
    /// Hands a record over; false if nobody wants more of them.
    #[inline]
    pub fn send(&mut self, item: T) -> bool {
        self.batch.push(item);
        self.batch.len() < BATCH || self.flush()
    }

    fn flush(&mut self) -> bool {
        self.to.send(std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH))).is_ok()
    }
}

/// Runs a reader in a thread of its own, and calls `take` with each of its records until it answers false. What the
/// reader returns is returned.
pub fn piped<T: Send, R: Send>(
    read: impl FnOnce(&mut Pipe<T>) -> anyhow::Result<R> + Send,
    take: impl FnMut(T) -> anyhow::Result<bool>,
) -> anyhow::Result<R> {
    let (to, from) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut pipe = Pipe { batch: Vec::with_capacity(BATCH), to };
            let result = read(&mut pipe);
            pipe.flush();
            result
        });
        let taken = take_all(from, take);
        let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken?;
        read
    })
}

/// Takes what comes. The channel is closed at the end, which ends the reader.
fn take_all<T>(from: Receiver<Vec<T>>, mut take: impl FnMut(T) -> anyhow::Result<bool>) -> anyhow::Result<()> {
    for batch in from {
        for item in batch {
            if !take(item)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_arrives_in_order_and_a_reader_ends_early() {
        let mut taken = Vec::new();
        let count = piped(
            |pipe| Ok((0..10_000).filter(|n| pipe.send(*n)).count()),
            |n: u32| {
                taken.push(n);
                Ok(true)
            },
        );
        assert_eq!((count.ok(), taken), (Some(10_000), (0..10_000).collect::<Vec<u32>>()));
        let mut seen = 0;
        let sent = piped(
            |pipe| Ok((0..10_000_000u32).take_while(|n| pipe.send(*n)).count()),
            |_| {
                seen += 1;
                Ok(seen < 5)
            },
        );
        assert!(sent.is_ok_and(|sent| sent < 1_000_000));
        let failed = piped(|pipe| Ok(pipe.send(1)), |_: u32| anyhow::bail!("no"));
        assert!(failed.is_err());
        let failed = piped(|_: &mut Pipe<u32>| anyhow::bail!("unreadable") as anyhow::Result<()>, |_| Ok(true));
        assert!(failed.is_err());
    }
}
