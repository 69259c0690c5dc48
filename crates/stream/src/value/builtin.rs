//! The functions that `extern("…")` names, and what they do to values.
use super::{SetValue, Value, ctf, format, int, list, share, text};
use std::rc::Rc;

macro_rules! builtins {
    ($($variant:ident $name:literal $arity:tt)*) => {
        /// A built-in function or operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Builtin { $($variant),* }

        impl Builtin {
            /// The function that `extern` knows by this name.
            pub fn by_name(name: &str) -> Option<Builtin> {
                match name { $($name => Some(Builtin::$variant),)* _ => None }
            }

            pub fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }

            /// Number of arguments; a constant has none, `usize::MAX` stands for any number.
            pub fn arity(self) -> usize {
                match self { $(Builtin::$variant => $arity),* }
            }
        }
    };
}

const ANY: usize = usize::MAX;

builtins! {
    Nil "nil" 0  Default "default" 2  DefaultFrom "defaultFrom" 2  Last "last" 2  Time "time" 1  Delay "delay" 2
    Lift "lift" ANY  SLift "slift" ANY  SLiftOption "sliftOption" ANY  Merge "merge" ANY
    True "true" 0  False "false" 0
    Ite "ite" 3  StaticIte "staticite" 3  And "and" 2  Or "or" 2  Not "not" 1
    Eq "eq" 2  Neq "neq" 2  Lt "lt" 2  Gt "gt" 2  Leq "leq" 2  Geq "geq" 2
    FLt "flt" 2  FGt "fgt" 2  FLeq "fleq" 2  FGeq "fgeq" 2
    Negate "negate" 1  FNegate "fnegate" 1  BitFlip "bitflip" 1
    Add "add" 2  Sub "sub" 2  Mul "mul" 2  Div "div" 2  Mod "mod" 2
    FAdd "fadd" 2  FSub "fsub" 2  FMul "fmul" 2  FDiv "fdiv" 2
    BitAnd "bitand" 2  BitOr "bitor" 2  BitXor "bitxor" 2  ShiftLeft "leftshift" 2  ShiftRight "rightshift" 2
    Pow "pow" 2  Log "log" 2  Sin "sin" 1  Cos "cos" 1  Tan "tan" 1  Atan "atan" 1
    IntToFloat "intToFloat" 1  FloatToInt "floatToInt" 1  ToString "toString" 1
    Concat "String_concat" 2  Format "String_format" 2
    OptionNone "None" 0  OptionSome "Some" 1  IsNone "isNone" 1  IsSome "isSome" 1  GetSome "getSome" 1
    SetEmpty "Set_empty" 0  SetAdd "Set_add" 2  SetContains "Set_contains" 2  SetRemove "Set_remove" 2
    SetSize "Set_size" 1  SetUnion "Set_union" 2  SetIntersection "Set_intersection" 2  SetMinus "Set_minus" 2
    SetFold "Set_fold" 3
    MapEmpty "Map_empty" 0  MapAdd "Map_add" 3  MapContains "Map_contains" 2  MapGet "Map_get" 2
    MapRemove "Map_remove" 2  MapSize "Map_size" 1  MapKeys "Map_keys" 1  MapFold "Map_fold" 3
    ListEmpty "List_empty" 0  ListAppend "List_append" 2  ListPrepend "List_prepend" 2  ListGet "List_get" 2
    ListSet "List_set" 3  ListSize "List_size" 1  ListTail "List_tail" 1  ListInit "List_init" 1
    CtfGetInt "CTF_getInt" 2  CtfGetString "CTF_getString" 2
    ListFold "List_fold" 3  ListMap "List_map" 2
}

impl Builtin {
    /// Whether it makes streams, and so exists only while a specification is expanded.
    pub fn is_stream(self) -> bool {
        use Builtin::*;
        matches!(self, Nil | Default | DefaultFrom | Last | Time | Delay | Lift | SLift | SLiftOption | Merge)
    }

    /// Whether an argument that failed does not make the result fail.
    fn keeps_errors(self) -> bool {
        matches!(self, Builtin::OptionSome)
    }

    /// Whether it makes its result without taking its two arguments.
    #[inline(always)]
    pub fn only_looks(self) -> bool {
        use Builtin::*;
        matches!(
            self,
            Eq | Neq
                | Lt
                | Gt
                | Leq
                | Geq
                | FLt
                | FGt
                | FLeq
                | FGeq
                | Add
                | Sub
                | Mul
                | Div
                | Mod
                | SetContains
                | MapContains
                | MapGet
        )
    }

    /// Whether a repeated application may grow its argument without bound.
    pub fn grows(self) -> bool {
        use Builtin::*;
        matches!(self, SetAdd | SetUnion | MapAdd | ListAppend | ListPrepend | Concat)
    }
}

/// Calls function values on behalf of the built-ins that take one.
pub trait Host {
    fn call(&mut self, function: &Value, args: Vec<Value>) -> Value;
}

/// The constant that a built-in without parameters is.
pub fn constant(op: Builtin) -> Value {
    match op {
        Builtin::True => Value::Bool(true),
        Builtin::False => Value::Bool(false),
        Builtin::OptionNone => Value::None,
        Builtin::SetEmpty => Value::Set(Rc::default()),
        Builtin::MapEmpty => Value::Map(Rc::default()),
        Builtin::ListEmpty => Value::List(Rc::default()),
        other => unreachable!("`{}` is not a constant", other.name()),
    }
}

/// Applies a function of one value.
pub fn apply1(op: Builtin, a: Value) -> Value {
    if matches!(a, Value::Error(_)) && !op.keeps_errors() {
        return a;
    }
    match (op, a) {
        (Builtin::Not, Value::Bool(a)) => Value::Bool(!a),
        (Builtin::Negate, a) => int::negate(&a),
        (Builtin::BitFlip, a) => int::flip(&a),
        (Builtin::FNegate, Value::Float(a)) => Value::Float(-a),
        (Builtin::Sin, Value::Float(a)) => Value::Float(a.sin()),
        (Builtin::Cos, Value::Float(a)) => Value::Float(a.cos()),
        (Builtin::Tan, Value::Float(a)) => Value::Float(a.tan()),
        (Builtin::Atan, Value::Float(a)) => Value::Float(a.atan()),
        (Builtin::IntToFloat, a) => int_to_float(&a),
        (Builtin::FloatToInt, Value::Float(a)) => float_to_int(a),
        (Builtin::ToString, a) => text::to_string(&a),
        (Builtin::OptionSome, a) => Value::some(a),
        (Builtin::IsNone, a) => Value::Bool(matches!(a, Value::None)),
        (Builtin::IsSome, a) => Value::Bool(matches!(a, Value::Some(_))),
        (Builtin::GetSome, Value::Some(a)) => Rc::unwrap_or_clone(a),
        (Builtin::GetSome, _) => Value::error("getSome of None"),
        (Builtin::SetSize | Builtin::MapSize, a) => size_of_table(&a),
        (Builtin::MapKeys, Value::Map(a)) => Value::List(Rc::new(a.keys().cloned().collect())),
        (Builtin::ListSize, Value::List(a)) => size(a.len()),
        (Builtin::ListTail, Value::List(a)) => list::tail(a),
        (Builtin::ListInit, Value::List(a)) => list::init(a),
        (op, a) => mistyped(op, &[a]),
    }
}

/// Applies a function of two values that [only looks at them](Builtin::only_looks).
pub fn apply_shared(op: Builtin, a: &Value, b: &Value) -> Value {
    if matches!(a, Value::Error(_)) {
        return a.clone();
    }
    if matches!(b, Value::Error(_)) {
        return b.clone();
    }
    match (op, a, b) {
        (Builtin::Eq, a, b) => Value::Bool(a == b),
        (Builtin::Neq, a, b) => Value::Bool(a != b),
        (Builtin::Lt | Builtin::FLt, a, b) => ordered(a, b, |o| o.is_lt()),
        (Builtin::Gt | Builtin::FGt, a, b) => ordered(a, b, |o| o.is_gt()),
        (Builtin::Leq | Builtin::FLeq, a, b) => ordered(a, b, |o| o.is_le()),
        (Builtin::Geq | Builtin::FGeq, a, b) => ordered(a, b, |o| o.is_ge()),
        (Builtin::Add, a, b) => int::add(a, b),
        (Builtin::Sub, a, b) => int::sub(a, b),
        (Builtin::Mul, a, b) => int::mul(a, b),
        (Builtin::Div, a, b) => int::div(a, b),
        (Builtin::Mod, a, b) => int::rem(a, b),
        (Builtin::SetContains, Value::Set(a), b) => Value::Bool(a.contains(b)),
        (Builtin::MapContains, Value::Map(a), b) => Value::Bool(a.contains(b)),
        (Builtin::MapGet, Value::Map(a), b) => match a.get(b) {
            Some(value) => value.clone(),
            None => Value::error(format!("key {b} is not in the map")),
        },
        (op, a, b) => mistyped(op, &[a.clone(), b.clone()]),
    }
}

/// Applies a function of two values.
pub fn apply2(op: Builtin, a: Value, b: Value) -> Value {
    if op.only_looks() {
        return apply_shared(op, &a, &b);
    }
    if matches!(a, Value::Error(_)) {
        return a;
    }
    if matches!(b, Value::Error(_)) {
        return b;
    }
    match op {
        Builtin::BitAnd => int::and(&a, &b),
        Builtin::BitOr => int::or(&a, &b),
        Builtin::BitXor => int::xor(&a, &b),
        Builtin::ShiftLeft => int::shift_left(&a, &b),
        Builtin::ShiftRight => int::shift_right(&a, &b),
        Builtin::Concat => text::concat(&a, &b),
        Builtin::Format => formatted(&a, &b),
        _ => apply2_more(op, a, b),
    }
}

fn apply2_more(op: Builtin, a: Value, b: Value) -> Value {
    match (op, a, b) {
        (Builtin::FAdd, Value::Float(a), Value::Float(b)) => Value::Float(a + b),
        (Builtin::FSub, Value::Float(a), Value::Float(b)) => Value::Float(a - b),
        (Builtin::FMul, Value::Float(a), Value::Float(b)) => Value::Float(a * b),
        (Builtin::FDiv, Value::Float(a), Value::Float(b)) => Value::Float(a / b),
        (Builtin::Pow, Value::Float(a), Value::Float(b)) => Value::Float(a.powf(b)),
        (Builtin::Log, Value::Float(a), Value::Float(b)) => Value::Float(a.ln() / b.ln()),
        (Builtin::SetAdd, Value::Set(a), Value::Int(word)) if a.is_empty() => share::single(word),
        (Builtin::SetAdd, Value::Set(mut a), b) => {
            if !a.contains(&b) {
                Rc::make_mut(&mut a).insert(b, ());
            }
            Value::Set(a)
        }
        (Builtin::SetRemove, Value::Set(a), b) if !a.contains(&b) => Value::Set(a),
        (Builtin::SetRemove, Value::Set(a), _) if a.len() == 1 => share::empty_set(),
        (Builtin::SetRemove, Value::Set(mut a), b) => {
            Rc::make_mut(&mut a).remove(&b);
            Value::Set(a)
        }
        (Builtin::SetUnion | Builtin::SetIntersection | Builtin::SetMinus, a, b) => set_operation(op, a, &b),
        (Builtin::MapRemove, Value::Map(mut a), b) => {
            if a.contains(&b) {
                Rc::make_mut(&mut a).remove(&b);
            }
            Value::Map(a)
        }
        (Builtin::ListAppend, Value::List(a), b) => list::append(a, b),
        (Builtin::ListPrepend, a, Value::List(b)) => list::prepend(b, a),
        (Builtin::ListGet, Value::List(a), b) => list::get(&a, &b),
        (Builtin::CtfGetInt, event, Value::Str(path)) => ctf::get_int(&event, &path),
        (Builtin::CtfGetString, event, Value::Str(path)) => ctf::get_string(&event, &path),
        (op, a, b) => mistyped(op, &[a, b]),
    }
}

/// Union, intersection and difference, of which the second set is only looked at.
pub fn set_operation(op: Builtin, a: Value, b: &Value) -> Value {
    match (op, a, b) {
        (_, failed @ Value::Error(_), _) => failed,
        (_, _, failed @ Value::Error(_)) => failed.clone(),
        (Builtin::SetUnion, Value::Set(a), Value::Set(b)) => union(a, b),
        // Sets that are the same are not looked through.
        (Builtin::SetIntersection, Value::Set(a), Value::Set(b)) if Rc::ptr_eq(&a, b) => Value::Set(a),
        (Builtin::SetIntersection, Value::Set(a), Value::Set(b)) => kept(a, |key| b.contains(key)),
        (Builtin::SetMinus, Value::Set(a), Value::Set(b)) => kept(a, |key| !b.contains(key)),
        (op, a, b) => mistyped(op, &[a, b.clone()]),
    }
}

/// The argument that a lazy operator answers with; the arguments, if it is not one.
pub fn chosen(op: Builtin, mut args: Vec<Value>) -> Result<Value, Vec<Value>> {
    Ok(match (op, &args[0]) {
        (Builtin::And, Value::Bool(true)) | (Builtin::Or, Value::Bool(false)) => args.swap_remove(1),
        (Builtin::And | Builtin::Or, _) => args.swap_remove(0),
        (Builtin::Ite | Builtin::StaticIte, Value::Bool(true)) => args.swap_remove(1),
        (Builtin::Ite | Builtin::StaticIte, Value::Bool(false)) => args.swap_remove(2),
        (Builtin::Ite | Builtin::StaticIte, _) => args.swap_remove(0),
        _ => return Err(args),
    })
}

/// Applies a function of any number of values, or one that calls back.
pub fn apply(op: Builtin, mut args: Vec<Value>, host: &mut dyn Host) -> Value {
    match args.len() {
        1 => return apply1(op, args.remove(0)),
        2 if op != Builtin::ListMap => {
            let b = args.remove(1);
            return apply2(op, args.remove(0), b);
        }
        _ => {}
    }
    if let Some(at) = args.iter().position(|arg| matches!(arg, Value::Error(_))) {
        return args.swap_remove(at);
    }
    let mut args = args.into_iter();
    let mut next = || args.next().unwrap_or_default();
    match (op, next(), next(), next()) {
        (Builtin::MapAdd, map, key, value) => map_add(map, key, value),
        (Builtin::ListSet, Value::List(list), index, value) => list::set(list, &index, value),
        (Builtin::SetFold, Value::Set(set), start, f) => {
            set.keys().fold(start, |acc, key| host.call(&f, vec![acc, key.clone()]))
        }
        (Builtin::MapFold, Value::Map(map), start, f) => {
            map.iter().fold(start, |acc, (key, value)| host.call(&f, vec![acc, key.clone(), value.clone()]))
        }
        (Builtin::ListFold, Value::List(list), start, f) => {
            list.iter().fold(start, |acc, item| host.call(&f, vec![acc, item.clone()]))
        }
        (Builtin::ListMap, Value::List(list), f, _) => {
            Value::List(Rc::new(list.iter().map(|item| host.call(&f, vec![item.clone()])).collect()))
        }
        (op, a, b, c) => mistyped(op, &[a, b, c]),
    }
}

/// A map with another value for a key.
pub fn map_add(map: Value, key: Value, value: Value) -> Value {
    match (map, key, value) {
        (failed @ Value::Error(_), ..) | (_, failed @ Value::Error(_), _) | (_, _, failed @ Value::Error(_)) => failed,
        (Value::Map(mut map), key, value) => {
            Rc::make_mut(&mut map).insert(key, value);
            Value::Map(map)
        }
        (map, key, value) => mistyped(Builtin::MapAdd, &[map, key, value]),
    }
}

fn union(mut a: Rc<SetValue>, b: &Rc<SetValue>) -> Value {
    if !b.all(|key| a.contains(key)) {
        let target = Rc::make_mut(&mut a);
        b.keys().for_each(|key| target.insert(key.clone(), ()));
    }
    Value::Set(a)
}

fn kept(mut a: Rc<SetValue>, mut keep: impl FnMut(&Value) -> bool) -> Value {
    // A set that would not change must not be copied only because it is shared.
    if a.all(&mut keep) {
        return Value::Set(a);
    }
    if a.len() == 1 {
        return share::empty_set();
    }
    Rc::make_mut(&mut a).retain(keep);
    Value::Set(a)
}

fn ordered(a: &Value, b: &Value, test: impl Fn(std::cmp::Ordering) -> bool) -> Value {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => Value::Bool(a.partial_cmp(b).is_some_and(test)),
        _ => Value::Bool(test(a.cmp(b))),
    }
}

fn formatted(format: &Value, value: &Value) -> Value {
    match format {
        Value::Str(format) => format::format(format, value),
        _ => unreachable!("strings are checked by type"),
    }
}

/// How many entries a set or a map has; a failure is passed on.
pub fn size_of_table(table: &Value) -> Value {
    match table {
        Value::Set(set) => size(set.len()),
        Value::Map(map) => size(map.len()),
        Value::Error(_) => table.clone(),
        other => mistyped(Builtin::MapSize, std::slice::from_ref(other)),
    }
}

fn size(len: usize) -> Value {
    Value::Int(len as i64)
}

fn int_to_float(value: &Value) -> Value {
    match value {
        Value::Int(word) => Value::Float(*word as f64),
        other => Value::Float(other.to_string().parse().unwrap_or(f64::INFINITY)),
    }
}

fn float_to_int(value: f64) -> Value {
    if !value.is_finite() {
        return Value::error(format!("{value} is not an integer"));
    }
    let digits = format!("{:.0}", value.trunc());
    int::from_big(digits.parse().expect("a whole float prints as an integer"))
}

/// The checker rules this out; reaching it is a bug of ours.
fn mistyped(op: Builtin, args: &[Value]) -> Value {
    unreachable!("`{}` applied to {args:?}", op.name())
}
