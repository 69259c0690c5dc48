//! The horizon: what every thread knows. An access before it races with nothing any more and need not be remembered, so
//! that lines which many threads use in turn do not gather long pasts.
//!
//! A thread counts with what it will know at its next access at least. Clocks only grow, so that is what it has published of
//! its own, and while it waits for another thread's end, what that one will know at its end, too: it touches nothing before.
//! A thread that has ended touches nothing any more and does not count, but its last clock stays published, because
//! who waits for it may not have taken it over yet. A new thread begins with what its creator knew; while one is on its
//! way, the horizon stays. A thread that sleeps for long holds the horizon back: that costs time, and nothing else.

use crate::thread::clock::Epoch;
use crate::thread::count::is_someone_coming;
use crate::thread::published::{Known, MOST};
use crate::thread::{Shared, Thread, threads};
use core::sync::atomic::{AtomicU32, Ordering, fence};

static HORIZON: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];
/// Threads that have been created, or will be at once.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// What one of the threads will know at its next access.
fn known_to(player: &'static Shared, players: impl Iterator<Item = &'static Shared> + Clone) -> Known {
    let mut known = [0; MOST];
    let mut at = Some(player);
    // Threads that wait for each other in a circle touch nothing any more.
    for _ in 0..MOST {
        let Some(player) = at else { break };
        player.published.add_to(&mut known);
        let awaited = player.published.awaited.load(Ordering::Acquire);
        at = players.clone().find(|other| other.index + 1 == awaited);
    }
    known
}

/// What each of the threads will know at its next access; none if they are too many.
fn least(players: impl Iterator<Item = &'static Shared> + Clone) -> Option<Known> {
    let mut least = [u32::MAX; MOST];
    for player in players.clone() {
        if player.number as usize >= MOST {
            return None;
        }
        if !player.published.ended.load(Ordering::Acquire) {
            let known = known_to(player, players.clone());
            least.iter_mut().zip(known).for_each(|(least, known)| *least = (*least).min(known));
        }
    }
    Some(least)
}

/// Does every thread know of that moment?
#[inline]
pub fn is_past(epoch: Epoch) -> bool {
    HORIZON.get((epoch >> 32) as usize).is_some_and(|known| known.load(Ordering::Relaxed) >= epoch as u32)
}

/// A thread is about to be created.
pub fn fork() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// Shows others the player's clock, and moves the horizon. Accesses of the player that have not been checked know what
/// its clock does. It is in a section.
#[cold]
pub fn refresh(player: &'static Thread) {
    player.published.publish(player.clock.get());
    let forks = FORKS.load(Ordering::SeqCst);
    if is_someone_coming() {
        return;
    }
    let Some(least) = least(threads()) else { return };
    fence(Ordering::SeqCst);
    if is_someone_coming() || FORKS.load(Ordering::SeqCst) != forks {
        return;
    }
    // Any of these is true for ever, whichever of two threads writes last.
    for (horizon, least) in HORIZON.iter().zip(least) {
        horizon.store(least, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::tls::Section;
    use crate::watch::naive;
    use foretrace_event::wire::Op;

    fn sync(player: &'static Thread, op: Op, thread: &'static Thread) {
        let index = u64::from(thread.number) + 0x1_0000;
        player.clock.get().sync(&player.objects, op, 0, index, index as u32, false);
    }

    fn publish(player: &'static Thread) {
        player.published.publish(player.clock.get());
    }

    /// Does everybody know of the moment that `player` is in?
    fn is_past(players: &[&'static Thread], player: &'static Thread) -> bool {
        let least = least(players.iter().map(|thread| thread.shared())).expect("few threads");
        least[player.number as usize] >= player.clock.get().own()
    }

    #[test]
    fn who_waits_for_an_end_counts_until_it_knows_of_it() {
        let _section = Section::nest();
        let players = naive::players();
        let [main, a, b] = [players[0], players[1], players[2]];
        players[3].published.end(players[3].clock.get());
        main.published.set_awaited(Some(b.index));
        assert!(!is_past(&players, a));
        b.published.end(b.clock.get());
        publish(a);
        assert!(!is_past(&players, a), "main will know what b knew, which is nothing of a");
        main.published.set_awaited(Some(a.index));
        assert!(is_past(&players, a), "main will know what a does");
    }

    #[test]
    fn what_the_last_one_knew_at_its_end_is_known_to_who_waits_for_it() {
        let _section = Section::nest();
        let players = naive::players();
        let [main, a, b] = [players[0], players[1], players[2]];
        players[3].published.end(players[3].clock.get());
        publish(a);
        main.published.set_awaited(Some(b.index));
        b.published.set_awaited(Some(a.index));
        assert!(is_past(&players, a), "both will know what a does");
        sync(a, Op::End, a);
        a.published.end(a.clock.get());
        sync(b, Op::Join, a);
        b.published.set_awaited(None);
        let before = least(players.iter().map(|thread| thread.shared())).expect("few threads")[1];
        assert_eq!(before, 0, "b has not said yet what it knows");
        publish(b);
        assert_eq!(least(players.iter().map(|thread| thread.shared())).expect("few threads")[1], 1);
    }
}
