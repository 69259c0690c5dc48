//! The fields of a tuple or record. Two to four are kept where the value is: a map of records is then looked through
//! without going from place to place, and a record costs one allocation.
use super::Value;
use std::ops::Deref;

#[derive(Clone, Debug)]
pub enum Items {
    Two([Value; 2]),
    Three([Value; 3]),
    Four([Value; 4]),
    Many(Vec<Value>),
}

impl Items {
    /// This many fields, each made by a function of its index, in order.
    pub fn make(count: usize, mut make: impl FnMut(usize) -> Value) -> Items {
        match count {
            2 => Items::Two(std::array::from_fn(make)),
            3 => Items::Three(std::array::from_fn(make)),
            4 => Items::Four(std::array::from_fn(make)),
            _ => Items::Many((0..count).map(&mut make).collect()),
        }
    }
}

impl From<Vec<Value>> for Items {
    fn from(mut items: Vec<Value>) -> Items {
        Items::make(items.len(), |at| std::mem::take(&mut items[at]))
    }
}

impl FromIterator<Value> for Items {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Items {
        items.into_iter().collect::<Vec<Value>>().into()
    }
}

impl Deref for Items {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match self {
            Items::Two(items) => items,
            Items::Three(items) => items,
            Items::Four(items) => items,
            Items::Many(items) => items,
        }
    }
}
