//! Values in trace text, read by the type they should have.
use crate::ty::Ty;
use crate::value::{Fields, Shown, Value, int};
use num_bigint::BigInt;
use std::rc::Rc;

/// Nested values of a trace deeper than this are refused.
const MAX_DEPTH: usize = 200;

/// Reads a value of a type that takes up the whole text.
pub fn parse_value(text: &str, ty: &Ty) -> Option<Value> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let value = reader.value(ty)?;
    reader.skip();
    let rest = reader.rest();
    (rest.is_empty() || is_comment(rest)).then_some(value)
}

/// Whether the rest of a line is a comment.
pub fn is_comment(rest: &str) -> bool {
    rest.starts_with("--") || rest.starts_with('#')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        self.eat(token).then_some(())
    }

    /// The longest run of characters that pass.
    fn run(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let rest = self.rest();
        let len = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn value(&mut self, ty: &Ty) -> Option<Value> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let start = self.at;
        let value = self.value_of(ty).or_else(|| {
            self.at = start;
            self.parenthesised(ty)
        });
        self.depth -= 1;
        value
    }

    /// A value in parentheses of its own.
    fn parenthesised(&mut self, ty: &Ty) -> Option<Value> {
        self.expect("(")?;
        let value = self.value(ty)?;
        self.eat(",");
        self.expect(")")?;
        Some(value)
    }

    fn value_of(&mut self, ty: &Ty) -> Option<Value> {
        match ty {
            Ty::Int => self.int(),
            Ty::Float => self.float(),
            Ty::Bool => match self.run(char::is_alphanumeric) {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Ty::Str => self.string(),
            Ty::Unit => {
                self.expect("(")?;
                self.expect(")").map(|()| Value::Unit)
            }
            // Has no text form.
            Ty::Ctf => None,
            Ty::Option(inner) => self.option(inner),
            Ty::List(inner) => self.items("List(", ")", |r| r.value(inner)).map(|items| Value::List(Rc::new(items))),
            Ty::Set(inner) => {
                let items = self.items("Set(", ")", |r| r.value(inner))?;
                Some(Value::Set(Rc::new(items.into_iter().map(|item| (item, ())).collect())))
            }
            Ty::Map(kv) => {
                let entries = self.items("Map(", ")", |r| {
                    let key = r.value(&kv.0)?;
                    r.expect("->")?;
                    Some((key, r.value(&kv.1)?))
                })?;
                Some(Value::Map(Rc::new(entries.into_iter().collect())))
            }
            Ty::Tuple(types) => self.tuple(types),
            Ty::Record(fields) => self.record(fields),
            Ty::Events(_) | Ty::Fun(_) | Ty::Var(_) | Ty::Param(..) => None,
        }
    }

    fn int(&mut self) -> Option<Value> {
        let negative = self.eat("-");
        let digits = self.run(|c| c.is_ascii_alphanumeric());
        let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => (hex, 16),
            None => (digits, 10),
        };
        if radix == 10 && digits.len() < 19 {
            let word: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
            return Some(Value::Int(if negative { -word } else { word }));
        }
        let big = BigInt::parse_bytes(digits.as_bytes(), radix)?;
        Some(int::from_big(if negative { -big } else { big }))
    }

    fn float(&mut self) -> Option<Value> {
        let text = self.run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        let number: f64 = text.parse().ok()?;
        // An integer is not a float; infinities and not-a-number have the names under which they are written.
        let float = text.contains(['.', 'e', 'E']) && number.is_finite();
        (float || matches!(text.trim_start_matches(['-', '+']), "Infinity" | "NaN")).then_some(Value::Float(number))
    }

    fn string(&mut self) -> Option<Value> {
        self.expect("\"")?;
        let rest = self.rest();
        let plain = rest.find(['"', '\\', '$'])?;
        if rest.as_bytes()[plain] == b'"' {
            self.at += plain + 1;
            return Some(Value::str(&rest[..plain]));
        }
        self.escaped()
    }

    fn escaped(&mut self) -> Option<Value> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Some(Value::str(&out));
                }
                '\\' => out.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    other @ ('"' | '\\' | '$') => other,
                    _ => return None,
                }),
                '$' => {
                    let len = interpolated(&self.rest()[at + 1..], &mut out)?;
                    if len > 0 {
                        chars.nth(len - 1)?;
                    }
                }
                c => out.push(c),
            }
        }
        None
    }

    fn option(&mut self, inner: &Ty) -> Option<Value> {
        if self.eat("None") {
            return Some(Value::None);
        }
        self.expect("Some")?;
        self.expect("(")?;
        let value = self.value(inner)?;
        self.expect(")")?;
        Some(Value::some(value))
    }

    fn items<T>(&mut self, open: &str, close: &str, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(one(self)?);
        }
        Some(items)
    }

    fn tuple(&mut self, types: &[Ty]) -> Option<Value> {
        if matches!(self.peek(), Some('{' | '$')) {
            let fields: Vec<(Rc<str>, Ty)> =
                types.iter().enumerate().map(|(at, ty)| (format!("_{}", at + 1).into(), ty.clone())).collect();
            return self.fields(&fields).map(Value::tuple);
        }
        let mut next = types.iter();
        let items = self.items("(", ")", |r| r.value(next.next()?))?;
        (items.len() == types.len()).then(|| Value::tuple(items))
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.rest().chars().next()
    }

    fn record(&mut self, fields: &[(Rc<str>, Ty)]) -> Option<Value> {
        let items = self.fields(fields)?;
        let names = Some(fields.iter().map(|(name, _)| name.clone()).collect());
        Some(Value::Fields(Rc::new(Fields { names, items: items.into() })))
    }

    /// The fields of a record in the order of its type: `{a = 1, b: 2}`, or with `${`.
    fn fields(&mut self, fields: &[(Rc<str>, Ty)]) -> Option<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; fields.len()];
        self.eat("$");
        self.items("{", "}", |r| {
            let name = r.run(|c| c.is_alphanumeric() || c == '_' || !c.is_ascii());
            let at = fields.iter().position(|(field, _)| &**field == name)?;
            if !r.eat("=") {
                r.expect(":")?;
            }
            let value = r.value(&fields[at].1)?;
            values[at].replace(value).is_none().then_some(())
        })?;
        values.into_iter().collect()
    }
}

/// What is interpolated behind a `$`, a literal in braces; its length in characters. A name has nothing to stand for in a
/// trace.
fn interpolated(rest: &str, out: &mut String) -> Option<usize> {
    let Some(inner) = rest.strip_prefix('{') else {
        out.push('$');
        return (!rest.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(0);
    };
    let (literal, _) = inner.split_once('}')?;
    let text = literal.trim();
    let value = [Ty::Int, Ty::Float, Ty::Bool, Ty::Str].iter().find_map(|ty| parse_value(text, ty))?;
    out.push_str(&Shown { value: &value, quotes: false }.to_string());
    Some(literal.chars().count() + 2)
}
