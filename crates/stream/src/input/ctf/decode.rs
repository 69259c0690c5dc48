//! From the bits of a packet to values.
use super::CtfProblem;
use super::bits::Bits;
use super::types::{IntType, Label, Order, StructType, Type};
use crate::value::ctf::{field, number};
use crate::value::{Fields, Value, int};
use std::rc::Rc;

/// The most values that one event may have, those inside others included.
const MAX_VALUES: usize = 1 << 20;

/// What has been read of a packet and of an event, by the names that metadata have for it.
#[derive(Default)]
pub struct Sections {
    named: Vec<(&'static str, Value)>,
}

impl Sections {
    pub fn set(&mut self, name: &'static str, value: Value) {
        self.named.retain(|(known, _)| *known != name);
        self.named.push((name, value));
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The value of a path such as `stream.event.header.id`.
    fn find(&self, path: &[Rc<str>]) -> Option<&Value> {
        self.named.iter().find_map(|(name, value)| {
            let parts = name.split('.').count();
            let fits = path.len() > parts && path.iter().zip(name.split('.')).all(|(a, b)| **a == *b);
            fits.then(|| inside(value, &path[parts..])).flatten()
        })
    }
}

/// Reads values of one section.
pub struct Decoder<'a, 'b> {
    pub bits: &'a mut Bits<'b>,
    pub order: Order,
    /// The latest value of the clock.
    pub ticks: &'a mut u64,
    pub sections: &'a Sections,
    /// The fields read so far of the structures around.
    open: Vec<(Rc<StructType>, Vec<Value>)>,
    values: usize,
}

impl<'a, 'b> Decoder<'a, 'b> {
    pub fn new(bits: &'a mut Bits<'b>, order: Order, ticks: &'a mut u64, sections: &'a Sections) -> Self {
        Decoder { bits, order, ticks, sections, open: Vec::new(), values: 0 }
    }

    pub fn value(&mut self, ty: &Type) -> Result<Value, CtfProblem> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(CtfProblem::TooLarge);
        }
        self.bits.align(ty.align());
        match ty {
            Type::Int(int) => self.int(int),
            Type::Float(float) => {
                let bits = self.bits.number(float.size, float.order.unwrap_or(self.order))?;
                Ok(Value::Float(match float.size {
                    32 => f64::from(f32::from_bits(bits as u32)),
                    _ => f64::from_bits(bits),
                }))
            }
            Type::Text => Ok(Value::str(&self.bits.text()?)),
            Type::Enum(int, labels) => Ok(labelled(self.int(int)?, labels)),
            Type::Struct(fields) => self.structure(fields),
            Type::Variant(tag, options) => {
                let label = self.earlier(tag).and_then(label_of);
                let option = options.iter().find(|(name, _)| Some(&**name) == label.as_deref());
                let (_, ty) = option.ok_or_else(|| CtfProblem::NoVariant(tag.join(".")))?;
                self.value(ty)
            }
            Type::Array(element, count) => self.array(element, *count),
            Type::Sequence(element, path) => {
                let count = self.earlier(path).map(number).and_then(int::to_time);
                let count = count.and_then(|count| u64::try_from(count).ok());
                self.array(element, count.ok_or_else(|| CtfProblem::NoLength(path.join(".")))?)
            }
        }
    }

    fn int(&mut self, int: &IntType) -> Result<Value, CtfProblem> {
        let number = self.bits.number(int.size, int.order.unwrap_or(self.order))?;
        if int.clock {
            *self.ticks = advanced(*self.ticks, number, int.size);
        }
        if int.signed {
            let unused = 64 - int.size;
            return Ok(Value::Int((number << unused) as i64 >> unused));
        }
        Ok(int::from_time(u128::from(number)))
    }

    fn structure(&mut self, ty: &Rc<StructType>) -> Result<Value, CtfProblem> {
        self.open.push((ty.clone(), Vec::new()));
        for field in &ty.types {
            let value = self.value(field)?;
            self.open.last_mut().expect("it was just opened").1.push(value);
        }
        let (_, items) = self.open.pop().expect("it was opened above");
        Ok(Value::Fields(Rc::new(Fields { names: Some(ty.names.clone()), items: items.into() })))
    }

    fn array(&mut self, element: &Type, count: u64) -> Result<Value, CtfProblem> {
        if count > MAX_VALUES as u64 {
            return Err(CtfProblem::TooLarge);
        }
        let items = (0..count).map(|_| self.value(element)).collect::<Result<Vec<Value>, _>>()?;
        if !matches!(element, Type::Int(int) if int.text) {
            return Ok(Value::List(Rc::new(items)));
        }
        let bytes: Vec<u8> = items.iter().filter_map(int::to_word).map(|word| word as u8).collect();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Ok(Value::str(&String::from_utf8_lossy(&bytes[..end])))
    }

    /// A field that was read earlier: of the structures around, the innermost first, or of another section.
    fn earlier(&self, path: &[Rc<str>]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        let around = self.open.iter().rev().find_map(|(ty, values)| {
            let at = ty.names.iter().position(|name| name == first)?;
            inside(values.get(at)?, rest)
        });
        around.or_else(|| self.sections.find(path))
    }
}

/// A value inside others, by the names of the fields around it.
fn inside<'v>(value: &'v Value, path: &[Rc<str>]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| field(value, name))
}

/// The clock's value once its lower bits are known: time goes on, so they may have wrapped around once.
fn advanced(before: u64, number: u64, size: u32) -> u64 {
    if size >= 64 {
        return number;
    }
    let mask = (1 << size) - 1;
    let joined = before & !mask | number;
    if number < before & mask { joined.wrapping_add(mask + 1) } else { joined }
}

/// A value of an enumeration: its number and, if it has one, its label.
fn labelled(number: Value, labels: &[Label]) -> Value {
    let wide = int::to_word(&number).map(i128::from).or(int::to_time(&number).map(|number| number as i128));
    let label = labels.iter().find(|(_, from, to)| wide.is_some_and(|number| (*from..=*to).contains(&number)));
    let label = label.map_or("", |(label, ..)| label);
    let names: Rc<[Rc<str>]> = ["label".into(), "value".into()].into();
    Value::Fields(Rc::new(Fields { names: Some(names), items: vec![Value::str(label), number].into() }))
}

fn label_of(value: &Value) -> Option<String> {
    match field(value, "label")? {
        Value::Str(label) => Some(label.to_string()),
        _ => None,
    }
}
