//! Dots: constructors and channels take fields until they are full; what is left stays a row of values.

use super::*;
use crate::machine::event::Event;
use crate::syntax::*;

impl Evaluator {
    /// `left.right`, checked to make sense.
    pub fn combine(&mut self, left: Value, right: Value, span: Span) -> Eval<Value> {
        // The fields of both sides' constructors must be known before they are counted.
        self.load_fields(&left, span)?;
        self.load_fields(&right, span)?;
        if let (Value::Set(_), _) | (_, Value::Set(_)) = (&left, &right)
            && !matches!(left, Value::Data(..) | Value::Dot(_))
        {
            return error_hint(
                span,
                "a set cannot be dotted here",
                "use {x.y | x <- A, y <- B} for the product of sets",
            );
        }
        let value = self.join(left, right);
        self.check_complete(&value, span)?;
        Ok(value)
    }

    /// Refuses a constructor that has all its fields, one of which is outside its type.
    fn check_complete(&mut self, value: &Value, span: Span) -> Eval<()> {
        let Value::Data(name, given) = value else { return Ok(()) };
        let Some(shape) = self.constructors.get(name) else { return Ok(()) };
        let Some(fields) = shape.fields.clone().filter(|f| !shape.channel && f.len() == given.len()) else {
            return Ok(());
        };
        if self.incomplete(value) || given.iter().zip(fields.iter()).all(|(v, set)| set.contains(v)) {
            return Ok(());
        }
        let (shown, name) = (self.show(value), self.symbols.name(*name).to_owned());
        error_hint(span, format!("{shown} is not a value of its type"), format!("see the declaration of {name}"))
    }

    fn load_fields(&mut self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Data(name, fields) => {
                self.fields(*name, span)?;
                fields.last().map_or(Ok(()), |f| self.load_fields(f, span))
            }
            Value::Dot(items) => items.iter().try_for_each(|v| self.load_fields(v, span)),
            _ => Ok(()),
        }
    }

    /// Joins two values whose constructors are known.
    pub(super) fn join(&self, left: Value, right: Value) -> Value {
        let mut row = match left {
            Value::Dot(items) => items.to_vec(),
            other => vec![other],
        };
        let parts = match right {
            Value::Dot(items) => items.to_vec(),
            other => vec![other],
        };
        for part in parts {
            match row.pop() {
                Some(last) if self.incomplete(&last) => row.push(self.feed(last, part)),
                Some(last) => row.extend([last, part]),
                None => row.push(part),
            }
        }
        if row.len() == 1 { row.remove(0) } else { Value::Dot(row.into()) }
    }

    fn arity(&self, name: Symbol) -> usize {
        self.constructors.get(&name).and_then(|c| c.fields.as_ref()).map_or(0, |f| f.len())
    }

    /// Whether a constructor still waits for a field.
    pub(super) fn incomplete(&self, value: &Value) -> bool {
        match value {
            Value::Data(name, fields) => {
                fields.len() < self.arity(*name) || fields.last().is_some_and(|f| self.incomplete(f))
            }
            _ => false,
        }
    }

    fn feed(&self, value: Value, part: Value) -> Value {
        let Value::Data(name, fields) = value else { return part };
        let mut fields = fields.to_vec();
        match fields.pop() {
            Some(last) if self.incomplete(&last) => fields.push(self.feed(last, part)),
            Some(last) => fields.extend([last, part]),
            None => fields.push(part),
        }
        Value::Data(name, fields.into())
    }

    /// What the fields a value still waits for range over, in the order they are given.
    pub(super) fn missing(&mut self, value: &Value, span: Span) -> Eval<Vec<Set>> {
        let Value::Data(name, given) = value else {
            return match value {
                Value::Dot(items) => items.last().cloned().map_or(Ok(Vec::new()), |v| self.missing(&v, span)),
                _ => Ok(Vec::new()),
            };
        };
        let fields = self.fields(*name, span)?;
        let mut missing = match given.last() {
            Some(last) => self.missing(&last.clone(), span)?,
            None => Vec::new(),
        };
        missing.extend(fields[given.len().min(fields.len())..].iter().cloned());
        Ok(missing)
    }

    /// Every way to complete a value: the rows of fields that are still missing.
    pub(super) fn suffixes(&mut self, value: &Value, span: Span) -> Eval<Vec<Vec<Value>>> {
        self.first_fields(value, usize::MAX, span)
    }

    /// Every way to give a value the next few fields it waits for. A field that is begun already is completed only to
    /// what its own type has: `channel c : {Y.0, Z.true}` has no `c.Y.1`, whatever `Y` may hold elsewhere.
    pub(super) fn first_fields(&mut self, value: &Value, count: usize, span: Span) -> Eval<Vec<Vec<Value>>> {
        let (name, given) = match value {
            Value::Data(name, given) => (*name, given.clone()),
            Value::Dot(items) => {
                return match items.last().cloned() {
                    Some(last) => self.first_fields(&last, count, span),
                    None => Ok(vec![Vec::new()]),
                };
            }
            _ => return Ok(vec![Vec::new()]),
        };
        let fields = self.fields(name, span)?;
        let mut rows = match given.last() {
            Some(begun) if let Some(set) = fields.get(given.len() - 1) => self.begun_fields(begun, set, count, span)?,
            _ => vec![Vec::new()],
        };
        let done = rows.first().map_or(0, Vec::len);
        let from = given.len().min(fields.len());
        let to = from + (fields.len() - from).min(count - done.min(count));
        if from < to && !rows.is_empty() {
            rows = self.extend_rows(rows, &fields[from..to], span)?;
        }
        Ok(rows)
    }

    /// The fields that complete a value to one of a set.
    fn begun_fields(&mut self, begun: &Value, set: &Set, count: usize, span: Span) -> Eval<Vec<Vec<Value>>> {
        if !self.incomplete(begun) {
            return Ok(vec![Vec::new()]);
        }
        let mut rows = self.first_fields(begun, usize::MAX, span)?;
        rows.retain(|row| {
            let whole = row.iter().cloned().fold(begun.clone(), |v, part| self.join(v, part));
            set.contains(&whole)
        });
        if rows.first().is_some_and(|row| row.len() > count) {
            rows.iter_mut().for_each(|row| row.truncate(count));
            rows.sort();
            rows.dedup();
        }
        Ok(rows)
    }

    pub(super) fn rows(&mut self, columns: &[Set], span: Span) -> Eval<Vec<Vec<Value>>> {
        self.extend_rows(vec![Vec::new()], columns, span)
    }

    fn extend_rows(&mut self, mut rows: Vec<Vec<Value>>, columns: &[Set], span: Span) -> Eval<Vec<Vec<Value>>> {
        for column in columns {
            self.meter.check_time()?;
            let values = self.list(column, span)?;
            if rows.len().saturating_mul(values.len()) > MAX_ELEMENTS {
                return error_hint(
                    span,
                    "there are too many events to list",
                    "narrow the types of the channel's fields",
                );
            }
            let extend = |row: &Vec<Value>, v: &Value| row.iter().cloned().chain([v.clone()]).collect();
            rows = rows.iter().flat_map(|row| values.iter().map(move |v| extend(row, v))).collect();
        }
        Ok(rows)
    }

    /// All complete values that extend this one.
    pub(super) fn completions(&mut self, value: &Value, span: Span) -> Eval<Vec<Value>> {
        let rows = self.suffixes(value, span)?;
        Ok(rows.into_iter().map(|row| row.into_iter().fold(value.clone(), |v, part| self.join(v, part))).collect())
    }

    /// The sets a channel's or constructor's fields range over.
    pub(super) fn fields(&mut self, name: Symbol, span: Span) -> Eval<Rc<Vec<Set>>> {
        let Some(constructor) = self.constructors.get(&name).cloned() else {
            return error(span, format!("{} is neither a channel nor a constructor", self.symbols.name(name)));
        };
        if let Some(fields) = constructor.fields {
            return Ok(fields);
        }
        let fields = match &constructor.of {
            Some(expr) => self.type_columns(expr)?,
            None => Vec::new(),
        };
        let fields = Rc::new(fields);
        if let Some(c) = self.constructors.get_mut(&name) {
            c.fields = Some(fields.clone());
        }
        Ok(fields)
    }

    /// A type expression as a row of sets: its dots are products.
    pub(super) fn type_columns(&mut self, expr: &Expr) -> Eval<Vec<Set>> {
        match &*expr.kind {
            ExprKind::Dot(a, b) => {
                let mut columns = self.type_columns(a)?;
                columns.extend(self.type_columns(b)?);
                Ok(columns)
            }
            ExprKind::Tuple(items) => {
                let columns = items.iter().map(|e| self.type_set(e)).collect::<Eval<Vec<Set>>>()?;
                if columns.iter().any(|c| !matches!(c, Set::Finite(_))) {
                    return Ok(vec![Set::Tuples(Rc::new(columns))]);
                }
                let rows = self.rows(&columns, expr.span)?;
                Ok(vec![Set::of(rows.into_iter().map(|r| Value::Tuple(r.into())).collect())])
            }
            ExprKind::Var(name) => self.named_type(*name, expr.span),
            _ => match self.eval(expr, &None)? {
                Value::Set(set) => self.columns(set, expr.span),
                other => error(expr.span, format!("expected a set, found {}", self.show(&other))),
            },
        }
    }

    /// A type expression as one set.
    fn type_set(&mut self, expr: &Expr) -> Eval<Set> {
        let mut columns = self.type_columns(expr)?;
        if columns.len() == 1 {
            return Ok(columns.remove(0));
        }
        let rows = self.rows(&columns, expr.span)?;
        let joined = rows.into_iter().filter_map(|row| row.into_iter().reduce(|a, b| self.join(a, b)));
        Ok(Set::of(joined.collect()))
    }

    /// A datatype whose values are being listed: all that is known of it is its constructors.
    pub(super) fn unfinished_type(&self, name: Symbol) -> Option<Set> {
        let constructors = self.datatypes.get(&name).filter(|_| self.in_progress.contains(&name))?;
        Some(Set::Recursive(constructors.clone()))
    }

    fn named_type(&mut self, name: Symbol, span: Span) -> Eval<Vec<Set>> {
        if let Some(set) = self.unfinished_type(name) {
            return Ok(vec![set]);
        }
        let expr = Expr { id: ExprId(0), span, kind: Rc::new(ExprKind::Var(name)) };
        match self.eval(&expr, &None)? {
            Value::Set(set) => self.columns(set, span),
            other => error(span, format!("expected a set, found {}", self.show(&other))),
        }
    }

    /// Splits a set of dotted values into one set a field; it must be the full product of them.
    fn columns(&mut self, set: Set, span: Span) -> Eval<Vec<Set>> {
        let Set::Finite(values) = &set else { return Ok(vec![set]) };
        let Some(Value::Dot(first)) = values.first() else { return Ok(vec![set]) };
        let width = first.len();
        let mut columns = vec![Vec::new(); width];
        for value in values.iter() {
            match value {
                Value::Dot(items) if items.len() == width => {
                    items.iter().zip(&mut columns).for_each(|(v, column)| column.push(v.clone()));
                }
                _ => return error(span, "the values of this type have different numbers of fields"),
            }
        }
        let columns: Vec<Set> = columns.into_iter().map(Set::of).collect();
        let size: usize = columns.iter().map(|c| if let Set::Finite(v) = c { v.len() } else { 0 }).product();
        if size != values.len() {
            return error_hint(
                span,
                "the fields of this type are not independent of each other",
                "a channel's or constructor's type must be the product of the types of its fields",
            );
        }
        Ok(columns)
    }

    pub(super) fn nametype_values(&mut self, expr: &Expr) -> Eval<Value> {
        self.type_set(expr).map(Value::Set)
    }

    pub(super) fn datatype_values(&mut self, name: Symbol, span: Span) -> Eval<Set> {
        self.in_progress.push(name);
        let result = match self.subtypes.get(&name).cloned() {
            Some(constructors) => self.subtype_values(&constructors, span),
            None => self.all_values(name, span),
        };
        self.in_progress.pop();
        result
    }

    fn all_values(&mut self, name: Symbol, span: Span) -> Eval<Set> {
        let constructors = self.datatypes.get(&name).cloned().unwrap_or_default();
        let mut values = Vec::new();
        for &constructor in constructors.iter() {
            let fields = self.fields(constructor, span)?;
            if fields.iter().any(|f| !matches!(f, Set::Finite(_))) {
                return Ok(Set::Recursive(constructors));
            }
            values.extend(self.completions(&Value::atom(constructor), span)?);
        }
        Ok(Set::of(values))
    }

    fn subtype_values(&mut self, constructors: &[(Symbol, Option<Expr>)], span: Span) -> Eval<Set> {
        let mut values = Vec::new();
        for (name, of) in constructors {
            let all = self.fields(*name, span)?;
            let columns = of.as_ref().map_or_else(|| Ok(all.to_vec()), |e| self.type_columns(e))?;
            for row in self.rows(&columns, span)? {
                values.push(row.into_iter().fold(Value::atom(*name), |v, part| self.join(v, part)));
            }
        }
        Ok(Set::of(values))
    }

    /// The event a complete value on a channel stands for, checked against the channel's type the first time.
    pub fn event(&mut self, value: &Value, span: Span) -> Eval<Event> {
        if let Some(event) = self.events.find(value) {
            return Ok(event);
        }
        let Value::Data(name, given) = value else {
            return error(span, format!("{} is not an event", self.show(value)));
        };
        let is_channel = self.constructors.get(name).is_some_and(|c| c.channel);
        if !is_channel {
            return error_hint(span, format!("{} is not an event", self.show(value)), "events begin with a channel");
        }
        let fields = self.fields(*name, span)?;
        if given.len() < fields.len() || self.incomplete(value) {
            let missing = self.missing(value, span)?.len();
            return error_hint(
                span,
                format!("{} is not a complete event: {missing} more field(s) are needed", self.show(value)),
                "give the missing fields with . ! or ?",
            );
        }
        for (index, (field, set)) in given.iter().zip(fields.iter()).enumerate() {
            if !set.contains(field) || given.len() > fields.len() {
                let (shown, channel) = (self.show(value), self.symbols.name(*name).to_owned());
                return error_hint(
                    span,
                    format!("{shown} is not an event of channel {channel}: field {} is outside its type", index + 1),
                    format!("see the declaration of channel {channel}"),
                );
            }
        }
        let name = self.show(value);
        Ok(self.events.add(value.clone(), name))
    }

    pub(super) fn all_events(&mut self, span: Span) -> Eval<Vec<Value>> {
        let mut values = Vec::new();
        for channel in self.channels.clone() {
            values.extend(self.completions(&Value::atom(channel), span)?);
        }
        Ok(values)
    }
}
