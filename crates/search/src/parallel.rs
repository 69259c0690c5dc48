//! Work on several things at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const NO_PANIC: &str = "no worker panics while it holds this";

/// Works on several things at once, with so many threads at most; answers are in the order of the things.
pub fn in_parallel<T: Sync, A: Send>(jobs: usize, things: &[T], work: impl Fn(&T) -> A + Sync) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(things.len()));
    let worker = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(index)
        {
            let answer = work(thing);
            answers.lock().expect(NO_PANIC).push((index, answer));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(things.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    let mut answers = answers.into_inner().expect(NO_PANIC);
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn answers_keep_the_order_of_the_things() {
        let things: Vec<u32> = (0..100).collect();
        assert_eq!(super::in_parallel(4, &things, |thing| thing * 2), things.iter().map(|n| n * 2).collect::<Vec<_>>());
    }
}
