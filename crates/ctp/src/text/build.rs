//! From trees to expressions: a number without a width takes that of its neighbour.

use super::names;
use super::tree::Tree;
use crate::expr::{ExprError, Exprs};
use crate::ids::ExprId;

/// What went wrong, and in which column.
pub type Fault = (usize, String);

/// Makes expressions; `name` looks up names of values.
pub struct Build<'a> {
    pub exprs: &'a mut Exprs,
    pub name: &'a dyn Fn(&str) -> Option<ExprId>,
}

impl Build<'_> {
    /// The expression of a tree; `wanted` is the width that its surroundings suggest.
    pub fn expr(&mut self, tree: &Tree, wanted: Option<u8>) -> Result<ExprId, Fault> {
        match tree {
            Tree::Number { column, value, width } => {
                let width = width.or(wanted);
                let unknown = || (*column, format!("the width of {value} is not clear: write {value}:32"));
                let width = width.ok_or_else(unknown)?;
                self.exprs.number(width, *value).map_err(at(*column))
            }
            Tree::Name { column, name } => {
                (self.name)(name).ok_or_else(|| (*column, format!("no value is named `{name}` in this thread")))
            }
            Tree::Apply { column, name, operands } => self.apply(*column, name, operands, wanted),
        }
    }

    fn apply(&mut self, column: usize, name: &str, operands: &[Tree], wanted: Option<u8>) -> Result<ExprId, Fault> {
        if let Some((op, swapped)) = names::binary(name) {
            let [a, b] = operands else { return Err(count(column, name, 2)) };
            let (a, b) = self.pair(a, b, wanted.filter(|_| !op.compares()))?;
            let (a, b) = if swapped { (b, a) } else { (a, b) };
            return self.exprs.binary(op, a, b).map_err(at(column));
        }
        match (name, operands) {
            ("select", [c, a, b]) => {
                let c = self.expr(c, Some(1))?;
                let (a, b) = self.pair(a, b, wanted)?;
                self.exprs.select(c, a, b).map_err(at(column))
            }
            ("not", [a]) => {
                let a = self.expr(a, wanted)?;
                self.exprs.not(a).map_err(at(column))
            }
            ("concat", [high, low]) => {
                let (high, low) = (self.expr(high, None)?, self.expr(low, None)?);
                self.exprs.concat(high, low).map_err(at(column))
            }
            ("zext" | "sext" | "trunc", [width, a]) => self.cast(column, name, plain(width)?, a),
            ("extract", [high, low, a]) => {
                let a = self.expr(a, None)?;
                self.exprs.extract(plain(high)?, plain(low)?, a).map_err(at(column))
            }
            _ => Err((column, format!("no operation is named `{name}`, or it has another number of operands"))),
        }
    }

    fn cast(&mut self, column: usize, name: &str, width: u8, a: &Tree) -> Result<ExprId, Fault> {
        let a = self.expr(a, None)?;
        let cast = match name {
            "zext" => Exprs::zext,
            "sext" => Exprs::sext,
            _ => Exprs::trunc,
        };
        cast(self.exprs, width, a).map_err(at(column))
    }

    /// Two operands of one width: the one that has a width of its own comes first.
    fn pair(&mut self, a: &Tree, b: &Tree, wanted: Option<u8>) -> Result<(ExprId, ExprId), Fault> {
        if matches!(a, Tree::Number { width: None, .. }) && !matches!(b, Tree::Number { width: None, .. }) {
            let b = self.expr(b, wanted)?;
            return Ok((self.expr(a, Some(self.exprs.width(b)))?, b));
        }
        let a = self.expr(a, wanted)?;
        Ok((a, self.expr(b, Some(self.exprs.width(a)))?))
    }
}

fn at(column: usize) -> impl Fn(ExprError) -> Fault {
    move |error| (column, error.to_string())
}

fn count(column: usize, name: &str, operands: usize) -> Fault {
    (column, format!("`{name}` has {operands} operands"))
}

fn plain(tree: &Tree) -> Result<u8, Fault> {
    match tree {
        Tree::Number { value, width: None, .. } if *value <= 64 => Ok(*value as u8),
        other => Err((other.column(), "a number of bits should stand here".to_owned())),
    }
}
