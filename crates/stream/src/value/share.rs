//! Small values that are made again and again are made once: the empty set, sets of one number, and records of such values.
//!
//! A map from a million addresses to records then refers to a few records that are always at hand, instead of to a million
//! that are scattered over the memory. Sharing changes only time and memory: a shared value is copied before
//! it is changed, like any other.
use super::table::Table;
use super::{Fields, Items, SetValue, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// How many sets and records are remembered; a new one takes the place of an older one.
const SETS: usize = 1024;
const RECORDS: usize = 4096;
/// Multiplies a word so that its upper bits depend on all of it.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

struct Shared {
    empty: Rc<SetValue>,
    sets: Vec<Option<Rc<SetValue>>>,
    records: Vec<Option<Rc<Fields>>>,
}

thread_local! {
    static SHARED: RefCell<Shared> = RefCell::new(Shared {
        empty: Rc::default(),
        sets: vec![None; SETS],
        records: vec![None; RECORDS],
    });
}

/// The empty set.
pub fn empty_set() -> Value {
    Value::Set(SHARED.with_borrow(|shared| shared.empty.clone()))
}

/// The set of one number.
pub fn single(word: i64) -> Value {
    let at = ((word as u64).wrapping_mul(MIX) >> (64 - SETS.ilog2())) as usize;
    SHARED.with_borrow_mut(|shared| {
        let place = &mut shared.sets[at];
        if let Some(set) = place
            && matches!(&**set, Table::One([(Value::Int(own), ())]) if *own == word)
        {
            return Value::Set(set.clone());
        }
        let set = Rc::new(Table::One([(Value::Int(word), ())]));
        *place = Some(set.clone());
        Value::Set(set)
    })
}

/// A record or tuple.
pub fn record(names: Option<&Rc<[Rc<str>]>>, items: Items) -> Value {
    let make = |items| Rc::new(Fields { names: names.cloned(), items });
    let Some(hash) = items
        .iter()
        .try_fold(0, |hash: u64, item| word(item).map(|word| (hash.rotate_left(5) ^ word).wrapping_mul(MIX)))
    else {
        return Value::Fields(make(items));
    };
    let at = (hash >> (64 - RECORDS.ilog2())) as usize;
    SHARED.with_borrow_mut(|shared| {
        let place = &mut shared.records[at];
        if let Some(known) = place
            && is_same(known, names, &items)
        {
            return Value::Fields(known.clone());
        }
        let record = make(items);
        *place = Some(record.clone());
        Value::Fields(record)
    })
}

/// A value that may be part of a shared record, as a number that is different for most different values.
fn word(value: &Value) -> Option<u64> {
    match value {
        Value::Int(word) => Some(*word as u64),
        Value::Bool(value) => Some(u64::from(*value) + 1),
        Value::Set(set) if set.len() <= 1 => Some(Rc::as_ptr(set) as u64 >> 4),
        _ => None,
    }
}

fn is_same(known: &Fields, names: Option<&Rc<[Rc<str>]>>, items: &Items) -> bool {
    let named = match (&known.names, names) {
        (Some(own), Some(names)) => Rc::ptr_eq(own, names),
        (None, None) => true,
        _ => false,
    };
    named && known.items.len() == items.len() && known.items.iter().zip(items.iter()).all(|(a, b)| is_identical(a, b))
}

fn is_identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}
