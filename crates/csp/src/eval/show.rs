//! Values as a script would write them.

use super::*;

impl Evaluator {
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Char(c) => format!("{c:?}"),
            Value::Tuple(items) => format!("({})", self.show_all(items, ", ")),
            Value::Dot(items) => self.show_all(items, "."),
            Value::Data(name, fields) => {
                let mut out = self.symbols.name(*name).to_owned();
                for field in fields.iter() {
                    out.push('.');
                    out.push_str(&self.show(field));
                }
                out
            }
            Value::Seq(seq) => self.show_sequence(seq),
            Value::Set(set) => self.show_set(set),
            Value::Map(map) => {
                let entries: Vec<_> =
                    map.iter().map(|(k, v)| format!("{} => {}", self.show(k), self.show(v))).collect();
                format!("(| {} |)", entries.join(", "))
            }
            Value::Fun(f) => f.name.map_or("a function".into(), |n| self.symbols.name(n).to_owned()),
            Value::Builtin(name) => self.symbols.name(*name).to_owned(),
            Value::Proc(_) => "a process".into(),
        }
    }

    fn show_all(&self, items: &[Value], between: &str) -> String {
        items.iter().map(|v| self.show(v)).collect::<Vec<_>>().join(between)
    }

    fn show_sequence(&self, seq: &Seq) -> String {
        match seq {
            Seq::Known(items, from) => {
                let items = &items[*from..];
                if !items.is_empty() && items.iter().all(|v| matches!(v, Value::Char(_))) {
                    let text: String = items.iter().map(|v| if let Value::Char(c) = v { *c } else { ' ' }).collect();
                    return format!("{text:?}");
                }
                format!("<{}>", self.show_all(items, ", "))
            }
            Seq::From(n) => format!("<{n}..>"),
            _ => "<...>".into(),
        }
    }

    fn show_set(&self, set: &Set) -> String {
        match set {
            Set::Finite(items) => {
                let all = self.show_all(items, ", ");
                // `{-` would begin a comment.
                let space = if all.starts_with('-') { " " } else { "" };
                format!("{{{space}{all}}}")
            }
            Set::Ints => "Int".into(),
            Set::IntsFrom(n) => format!("{{{n}..}}"),
            Set::Seqs(of) => format!("Seq({})", self.show_set(of)),
            Set::Subsets(of) => format!("Set({})", self.show_set(of)),
            Set::Maps(k, v) => format!("Map({}, {})", self.show_set(k), self.show_set(v)),
            Set::Tuples(sets) => {
                format!("({})", sets.iter().map(|s| self.show_set(s)).collect::<Vec<_>>().join(", "))
            }
            Set::Either(a, b) => format!("union({}, {})", self.show_set(a), self.show_set(b)),
            Set::Without(a, b) => format!("diff({}, {})", self.show_set(a), self.show_set(b)),
            Set::Chars => "Char".into(),
            Set::Procs => "Proc".into(),
            Set::Recursive(names) => {
                let names: Vec<_> = names.iter().map(|n| self.symbols.name(*n)).collect();
                format!("the recursive type of {}", names.join(", "))
            }
        }
    }
}
