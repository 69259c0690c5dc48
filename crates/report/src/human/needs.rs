//! What an order needs to fail, in words.

use crate::model::{Finding, Kind, Moment, Needs, Order};
use crate::visible::visible;

/// One line for each thing that is to be said.
pub(super) fn lines(finding: &Finding) -> Vec<String> {
    let Some(needs) = &finding.needs else { return Vec::new() };
    // Whether an unordered pair of accesses is seen depends on the order of other operations alone.
    let always = needs.orders.is_empty() && finding.kind != Kind::DATA_RACE;
    let always = always.then(|| "it fails in every order that was tried".to_owned());
    let orders = (!needs.orders.is_empty()).then(|| orders(&needs.orders));
    let certain =
        needs.certain_after.as_ref().filter(|_| !needs.orders.is_empty()).map(|moment| certain(needs, moment));
    let preemptions = (needs.fewest && needs.preemptions > 0).then(|| preemptions(needs.preemptions));
    [always, orders, certain, preemptions].into_iter().flatten().map(|line| visible(&line)).collect()
}

fn orders(orders: &[Order]) -> String {
    let one = |order: &Order| format!("{} comes before {}", words(&order.first), words(&order.second));
    format!("it fails whenever {}", orders.iter().map(one).collect::<Vec<_>>().join(", and "))
}

fn certain(needs: &Needs, moment: &Moment) -> String {
    let how = if needs.proved { "no order of the rest prevents it" } else { "no order was found that prevents it" };
    format!("after {} {how}", words(moment))
}

fn preemptions(many: u32) -> String {
    let times = match many {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    };
    format!("a thread that could go on has to be left {times}; less often does not make it fail")
}

/// `` `balance -= 10` :17 of t1 ``.
fn words(moment: &Moment) -> String {
    let Moment { thread, operation, place } = moment;
    match (operation.as_str(), place) {
        ("start", _) => format!("the beginning of {thread}"),
        ("end", _) => format!("the end of {thread}"),
        (_, Some(frame)) if frame.line > 0 => {
            let what = frame.statement().map_or(operation.as_str(), |text| text.trim().trim_end_matches(';'));
            format!("{}`{what}` :{} of {thread}", part(operation), frame.line)
        }
        _ => format!("`{operation}` of {thread}"),
    }
}

/// A statement may contain several accesses: which is meant.
fn part(operation: &str) -> String {
    let is_access = ["load", "store", "update", "read", "write"].contains(&operation);
    if is_access { format!("the {operation} in ") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;

    fn moment(thread: &str, operation: &str, line: u32) -> Moment {
        let frame = Frame { file: Some("a.c".to_owned()), line, ..Frame::default() };
        Moment { thread: thread.to_owned(), operation: operation.to_owned(), place: (line > 0).then_some(frame) }
    }

    #[test]
    fn orders_are_told_in_words() {
        let orders = vec![
            Order { first: moment("t1", "lock", 3), second: moment("t2", "start", 0) },
            Order { first: moment("t2", "store", 0), second: moment("main", "load", 9) },
        ];
        let certain_after = Some(moment("t1", "lock", 3));
        let needs = Needs { orders, preemptions: 2, fewest: true, certain_after, proved: true };
        let finding = Finding { needs: Some(needs), ..Finding::new(Kind::CRASH) };
        assert_eq!(
            lines(&finding),
            [
                "it fails whenever `lock` :3 of t1 comes before the beginning of t2, and `store` of t2 comes before \
                 the load in `load` :9 of main",
                "after `lock` :3 of t1 no order of the rest prevents it",
                "a thread that could go on has to be left twice; less often does not make it fail",
            ]
        );
        let always = Finding { needs: Some(Needs::default()), ..Finding::new(Kind::CRASH) };
        assert_eq!(lines(&always), ["it fails in every order that was tried"]);
    }
}
