//! The parser: one order a line.

use crate::error::Error;
use crate::lexer::{Line, is_word};
use crate::order::{Base, Comparison, Field, Instrumentation, Member, Moment, Order, Relation, Type, Value};
use crate::target::Target;
use crate::what::What;

/// The most orders of a specification.
const ORDERS: usize = 4096;
/// The most fields of an event: what a record of a recording carries.
pub const FIELDS: usize = 8;
/// The deepest chain of dereferences or members.
const DEPTH: u32 = 16;

impl Instrumentation {
    /// Reads a specification.
    ///
    /// # Errors
    /// At the first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse(text)
    }
}

fn parse(text: &str) -> Result<Instrumentation, Error> {
    let mut orders = Vec::new();
    for (number, text) in text.lines().enumerate() {
        let mut line = Line::new(number as u32 + 1, text);
        if line.rest().is_empty() {
            continue;
        }
        if orders.len() == ORDERS {
            return Err(line.error(format!("more than {ORDERS} orders; split the specification into several files")));
        }
        orders.push(order(&mut line)?);
    }
    Ok(Instrumentation { orders })
}

fn order(line: &mut Line) -> Result<Order, Error> {
    let event = event_name(line)?;
    let from = line.position();
    let fields = fields(line)?;
    if fields.len() > FIELDS {
        return Err(
            line.error_since(from, format!("an event has at most {FIELDS} fields; this one has {}", fields.len()))
        );
    }
    let moment = moment(line)?;
    let what = what(line)?;
    let (target, conditions) = target(line, what)?;
    let values = fields.iter().filter_map(|field| match field {
        Field::Value(value) => Some(value),
        _ => None,
    });
    for value in values.chain(conditions.iter().map(|condition| &condition.value)) {
        belongs(value, moment, what)?;
    }
    Ok(Order { event, fields, moment, what, target, conditions, line: line.number })
}

fn event_name(line: &mut Line) -> Result<String, Error> {
    let from = line.position();
    let name = line.take_while(is_word);
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) {
        let message = "expected the name of an event: a letter, then letters, digits and `_`";
        return Err(if name.is_empty() { line.error(message) } else { line.error_since(from, message) });
    }
    Ok(name.to_owned())
}

fn fields(line: &mut Line) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    if !line.take("(") || line.take(")") {
        return Ok(fields);
    }
    loop {
        fields.push(field(line)?);
        if line.take(")") {
            return Ok(fields);
        }
        if !line.take(",") {
            return Err(line.error("expected `,` or `)` after a field"));
        }
    }
}

fn field(line: &mut Line) -> Result<Field, Error> {
    match line.rest().chars().next() {
        Some('#' | '*') => Ok(Field::Value(value(line, true)?)),
        Some('"') => quoted(line).map(Field::Text),
        Some(c) if c.is_ascii_digit() || c == '-' => number(line).map(Field::Number),
        Some(c) if is_word(c) => Ok(Field::Text(line.take_while(is_word).to_owned())),
        _ => Err(line.error("expected a field: a name, a number, \"text\", or #0, #return, #size, #address, #value")),
    }
}

fn quoted(line: &mut Line) -> Result<String, Error> {
    let rest = &line.rest()[1..];
    let Some(end) = rest.find('"') else { return Err(line.error("the text has no closing `\"`")) };
    Ok(line.take_bytes(end + 2).trim_matches('"').to_owned())
}

fn number(line: &mut Line) -> Result<i64, Error> {
    let from = line.position();
    let negative = line.take("-");
    let digits = line.take_while(|c| c.is_ascii_alphanumeric());
    let magnitude = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).map(i128::from),
        None => digits.parse::<u64>().map(i128::from),
    };
    // Numbers from 2^63 to 2^64 - 1 are the bits of unsigned values.
    let number = magnitude.ok().map(|number| if negative { -number } else { number });
    let number = number.filter(|number| *number >= i64::MIN.into()).map(|number| number as i64);
    number.ok_or_else(|| line.error_since(from, "expected a number of at most 64 bits, such as 12, -1 or 0x1f"))
}

fn value(line: &mut Line, with_type: bool) -> Result<Value, Error> {
    let from = line.position();
    let mut dereferences = 0;
    while line.take("*") {
        dereferences += 1;
    }
    let base = base(line)?;
    let members = members(line)?;
    if dereferences > DEPTH || members.len() > DEPTH as usize {
        return Err(line.error_since(from, format!("at most {DEPTH} dereferences and members are followed")));
    }
    let kind = if with_type && line.take_word("as") { Some(kind(line)?) } else { None };
    Ok(Value { dereferences, base, members, kind, place: line.place(from) })
}

fn base(line: &mut Line) -> Result<Base, Error> {
    let from = line.position();
    if !line.take("#") {
        return Err(line.error("expected #0, #1, …, #return, #size, #address or #value"));
    }
    let name = line.take_while(is_word);
    Ok(match name {
        "return" => Base::Return,
        "size" => Base::Size,
        "address" => Base::Address,
        "value" => Base::Value,
        _ => match name.parse::<u16>() {
            Ok(index) => Base::Argument(index.into()),
            Err(_) => {
                let message = format!("`#{name}` is not a field: use #0, #1, …, #return, #size, #address or #value");
                return Err(line.error_since(from, message));
            }
        },
    })
}

fn members(line: &mut Line) -> Result<Vec<Member>, Error> {
    let mut members = Vec::new();
    loop {
        let through_pointer = line.take("->");
        if !through_pointer && !line.take(".") {
            return Ok(members);
        }
        let name = line.take_while(is_word).to_owned();
        if name.is_empty() {
            return Err(line.error("expected the name of a member"));
        }
        members.push(Member { name, through_pointer });
    }
}

fn kind(line: &mut Line) -> Result<Type, Error> {
    let from = line.position();
    let name = line.take_while(is_word);
    Type::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<_> = Type::NAMES.iter().map(|(name, _)| *name).collect();
        line.error_since(from, format!("`{name}` is not a type: use {}", names.join(", ")))
    })
}

fn moment(line: &mut Line) -> Result<Moment, Error> {
    match () {
        () if line.take_word("before") => Ok(Moment::Before),
        () if line.take_word("after") => Ok(Moment::After),
        () => Err(line.error("expected `before` or `after`, as in `open(#return) after call open_file`")),
    }
}

fn what(line: &mut Line) -> Result<What, Error> {
    let from = line.position();
    let name = line.take_while(|c| is_word(c) || c == '-');
    let known = What::ALL.into_iter().find(|what| what.name() == name);
    let message = "expected `call`, `body`, `read-global`, `write-global` or `line`";
    match known {
        Some(what) => Ok(what),
        None if name.is_empty() => Err(line.error(message)),
        None => Err(line.error_since(from, format!("{message}, not `{name}`"))),
    }
}

fn target(line: &mut Line, what: What) -> Result<(Target, Vec<Comparison>), Error> {
    let rest = line.rest();
    let end = rest.match_indices("when").map(|(at, _)| at).find(|at| is_alone(rest, *at)).unwrap_or(rest.len());
    let from = line.position();
    let text = line.take_bytes(end).trim_end();
    if text.is_empty() {
        return Err(line.error(format!("expected a target after `{}`", what.name())));
    }
    let target = Target::new(what, text).map_err(|message| line.error_since(from, message))?;
    Ok((target, conditions(line)?))
}

fn is_alone(text: &str, at: usize) -> bool {
    let after = text[at + "when".len()..].chars().next();
    (at == 0 || text[..at].ends_with(char::is_whitespace)) && after.is_none_or(char::is_whitespace)
}

fn conditions(line: &mut Line) -> Result<Vec<Comparison>, Error> {
    let mut conditions = Vec::new();
    if !line.take_word("when") {
        return Ok(conditions);
    }
    loop {
        conditions.push(comparison(line)?);
        if line.rest().is_empty() {
            return Ok(conditions);
        }
        if !line.take_word("and") {
            return Err(line.error("expected `and` or the end of the line after a condition"));
        }
    }
}

fn comparison(line: &mut Line) -> Result<Comparison, Error> {
    let value = value(line, true)?;
    let Some((_, relation)) = Relation::NAMES.into_iter().find(|(name, _)| line.take(name)) else {
        return Err(line.error("expected ==, !=, <, <=, > or >="));
    };
    if let Some(kind @ (Type::String | Type::Double)) = value.kind {
        let (line, column, length) = value.place;
        let what = if kind == Type::String { "strings" } else { "floating-point numbers" };
        return Err(Error { line, column, length, message: format!("{what} cannot be compared in a condition") });
    }
    Ok(Comparison { value, relation, constant: number(line)? })
}

/// Table 6.1: has the join-point this value?
fn belongs(value: &Value, moment: Moment, what: What) -> Result<(), Error> {
    let wrong = match value.base {
        Base::Argument(_) if !what.is_function() => Some("arguments belong to `call` and `body`"),
        Base::Return if !what.is_function() => Some("#return belongs to `call` and `body`"),
        Base::Return if moment == Moment::Before => Some("#return is known only `after`"),
        Base::Size | Base::Address | Base::Value if !what.is_access() => {
            Some("#size, #address and #value belong to `read-global` and `write-global`")
        }
        Base::Value if what == What::ReadGlobal && moment == Moment::Before => {
            Some("the #value of a read is known only `after`")
        }
        _ => None,
    };
    let (line, column, length) = value.place;
    match wrong {
        None => Ok(()),
        Some(why) => {
            let message = format!("{why}; this order is `{} {}`", moment.name(), what.name());
            Err(Error { line, column, length, message })
        }
    }
}
