//! Specifications of events: each is read or refused with its place.

use super::random::Random;
use foretrace_instrumentation::{Instrumentation, Order};

const ORDERS: [&str; 6] = [
    "open(#return) after call open_file",
    "used(#0->fd, **#1 as string, #0.mode.flags as u8) before call net::*::open(char const*, int)",
    "odd(#0, -1, 0x1f, \"a text\", name) after body add when #return == 1 and *#0 as int < 3",
    "high(#value, #size, #address) before write-global range.high",
    "line before line src/a.c:12",
    "read after read-global state // a comment",
];

const PARTS: [&str; 20] = [
    "#",
    "->",
    ".",
    "*",
    "(",
    ")",
    ",",
    "when",
    "as",
    "\"",
    "\\",
    "\n",
    "==",
    "-",
    "9999999999999999999999",
    "[",
    "]",
    "=",
    "\u{e4}",
    "{",
];

/// One specification. What a program keeps of an order, its event and its join-points, is read again as the same.
pub(super) fn specification(random: &mut Random) {
    let text = damaged(ORDERS[random.below(ORDERS.len())], random);
    match Instrumentation::parse(&text) {
        Ok(found) => {
            let kept: Vec<String> = found.orders.iter().map(kept).collect();
            let read = Instrumentation::parse(&kept.join("\n"));
            let read = read.unwrap_or_else(|error| panic!("{text:?} is kept as {kept:?}: {error}"));
            assert_eq!(read.orders.iter().map(self::kept).collect::<Vec<_>>(), kept);
            assert!(read.orders.iter().zip(&found.orders).all(|(read, found)| read.target == found.target), "{text:?}");
        }
        Err(error) => assert!(error.line > 0 && error.column > 0 && !error.show("fuzz", &text).is_empty()),
    }
}

/// What a program that was built with an order keeps of it.
fn kept(order: &Order) -> String {
    format!("{} {order}", order.event)
}

/// A good text in which some places are changed.
fn damaged(good: &str, random: &mut Random) -> String {
    let mut text = good.to_owned();
    for _ in 0..random.below(4) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (one, other) = (places[random.below(places.len())], places[random.below(places.len())]);
        let end = if random.below(4) == 0 { one.max(other) } else { one.min(other) };
        text.replace_range(one.min(other)..end, PARTS[random.below(PARTS.len())]);
    }
    text
}
