//! What an order needs to fail, in words.

use crate::model::{Delayed, Finding, Kind, Moment, Needs, Order};
use crate::visible::visible;

/// One line for each thing that is to be said.
pub(crate) fn lines(finding: &Finding) -> Vec<String> {
    let Some(needs) = &finding.needs else { return Vec::new() };
    // Whether an unordered pair of accesses is seen depends on the order of other operations alone.
    let always = needs.orders.is_empty() && finding.kind != Kind::DATA_RACE;
    let always = always.then(|| "it fails in every order that was tried".to_owned());
    let orders = (!needs.orders.is_empty()).then(|| orders(&needs.orders));
    let certain =
        needs.certain_after.as_ref().filter(|_| !needs.orders.is_empty()).map(|moment| certain(needs, moment));
    let preemptions = (needs.fewest && needs.preemptions > 0).then(|| preemptions(needs.preemptions));
    let delayed = (!needs.delayed.is_empty()).then(|| delayed(&needs.delayed));
    let always = always.filter(|_| delayed.is_none());
    [always, orders, delayed, certain, preemptions].into_iter().flatten().map(|line| visible(&line)).collect()
}

fn orders(orders: &[Order]) -> String {
    let one = |order: &Order| format!("{} comes before {}", words(&order.first), words(&order.second));
    format!("it fails whenever {}", orders.iter().map(one).collect::<Vec<_>>().join(", and "))
}

fn certain(needs: &Needs, moment: &Moment) -> String {
    let how = if needs.proved { "no order of the rest prevents it" } else { "no order was found that prevents it" };
    format!("after {} {how}", words(moment))
}

/// The value at an access is what the accesses before it have left.
fn delayed(delayed: &[Delayed]) -> String {
    let one = |access: &Delayed| {
        let place = &access.place;
        let what = place.statement().map_or("the access", |text| text.trim().trim_end_matches(';'));
        let after = match access.after {
            0 => String::new(),
            1 => " (the second time)".to_owned(),
            times => format!(" (after {times} times)"),
        };
        format!("`{what}` :{}{after}", place.line)
    };
    let all = delayed.iter().map(one).collect::<Vec<_>>().join(", then ");
    format!("it depends on a value: {all} must be delayed until no other thread can go on")
}

fn preemptions(many: u32) -> String {
    let times = match many {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        many => format!("{many} times"),
    };
    format!("a thread that could go on has to be left {times}; less often does not make it fail")
}

/// `` `balance -= 10` :17 of t1 ``; without a place of its own, `` `lock` of `m` by t1 ``.
pub(crate) fn words(moment: &Moment) -> String {
    let Moment { thread, operation, object, place } = moment;
    match (operation.as_str(), place) {
        ("start", _) => format!("the beginning of {thread}"),
        ("end", _) => format!("the end of {thread}"),
        (_, Some(frame)) if frame.line > 0 => {
            let statement = frame.statement().map(|text| text.trim().trim_end_matches(';'));
            let what = statement.filter(|text| !text.is_empty()).unwrap_or(operation);
            format!("{}`{what}` :{} of {thread}", part(operation), frame.line)
        }
        _ => match object {
            Some(object) => format!("`{operation}` of `{object}` by {thread}"),
            None => format!("`{operation}` of {thread}"),
        },
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
        Moment {
            thread: thread.to_owned(),
            operation: operation.to_owned(),
            object: None,
            place: (line > 0).then_some(frame),
        }
    }

    fn on(object: &str, moment: Moment) -> Moment {
        Moment { object: Some(object.to_owned()), ..moment }
    }

    #[test]
    fn orders_are_told_in_words() {
        let order = |first, second| Order { first, second, turned_in_recorded: false };
        let orders = vec![
            order(moment("t1", "lock", 3), moment("t2", "start", 0)),
            order(moment("t2", "store", 0), moment("main", "load", 9)),
            order(on("m", moment("t1", "lock", 0)), on("m", moment("t2", "lock", 4))),
        ];
        let certain_after = Some(moment("t1", "lock", 3));
        let needs = Needs { orders, preemptions: 2, fewest: true, certain_after, proved: true, ..Needs::default() };
        let finding = Finding { needs: Some(needs), ..Finding::new(Kind::CRASH) };
        assert_eq!(
            lines(&finding),
            [
                "it fails whenever `lock` :3 of t1 comes before the beginning of t2, and `store` of t2 comes before \
                 the load in `load` :9 of main, and `lock` of `m` by t1 comes before `lock` :4 of t2",
                "after `lock` :3 of t1 no order of the rest prevents it",
                "a thread that could go on has to be left twice; less often does not make it fail",
            ]
        );
        let always = Finding { needs: Some(Needs::default()), ..Finding::new(Kind::CRASH) };
        assert_eq!(lines(&always), ["it fails in every order that was tried"]);
    }
}
