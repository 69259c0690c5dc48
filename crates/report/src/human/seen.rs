//! The values that a failure hangs on, in words: `t2 reads `balance` = 100 at bank.c:40, written by t1 at :31`.

use crate::model::{Finding, Frame, Seen};
use crate::visible::visible;

/// One line for each value, in the order in which they were read.
pub(crate) fn lines(finding: &Finding) -> Vec<String> {
    finding.seen.iter().map(|seen| visible(&line(seen))).collect()
}

fn line(seen: &Seen) -> String {
    let name = seen.name.as_ref().map_or_else(|| format!("{:#x}", seen.address), |name| format!("`{name}`"));
    let at = |place: &Option<Frame>| place.as_ref().map(|place| format!(" at {}", place.short())).unwrap_or_default();
    let written = seen.written.as_ref().map(|written| format!(", written by {}{}", written.thread, at(&written.place)));
    format!("{} reads {name} = {}{}{}", seen.thread, seen.value, at(&seen.place), written.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Written};

    #[test]
    fn a_value_is_told_with_its_writer() {
        let frame = |line| Some(Frame { file: Some("bank.c".to_owned()), line, ..Frame::default() });
        let written = Some(Written { thread: "t1".to_owned(), place: frame(31) });
        let read = Seen {
            thread: "t2".to_owned(),
            name: Some("balance".to_owned()),
            address: 0x4010,
            value: 100,
            place: frame(40),
            written,
        };
        let first = Seen { name: None, written: None, place: None, ..read.clone() };
        let finding = Finding { seen: vec![read, first], ..Finding::new(Kind::CRASH) };
        let expected = ["t2 reads `balance` = 100 at bank.c:40, written by t1 at bank.c:31", "t2 reads 0x4010 = 100"];
        assert_eq!(lines(&finding), expected);
    }
}
