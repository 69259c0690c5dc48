//! The grammar of types.
use super::ast::{Ident, TypeExpr, TypeKind};
use super::parser::Parser;
use crate::source::Result;

impl Parser<'_> {
    /// A type, behind the optional `strict` or `lazy` of a parameter's type.
    pub fn param_type(&mut self) -> Result<(TypeExpr, bool)> {
        let strict = self.eat_word("strict");
        if !strict {
            self.eat_word("lazy");
        }
        Ok((self.type_expr()?, strict))
    }

    pub fn type_expr(&mut self) -> Result<TypeExpr> {
        self.nested(|p| p.type_inner())
    }

    fn type_inner(&mut self) -> Result<TypeExpr> {
        let start = self.span();
        let kind = if self.eat("(") {
            self.tuple_or_function()?
        } else if self.eat("{") || self.dollar_brace() {
            TypeKind::Record(self.list("}", Self::field_type)?)
        } else {
            self.named_type()?
        };
        Ok(TypeExpr { kind, span: start.to(self.last_span()) })
    }

    /// The `${` of a record type before 1.2.
    fn dollar_brace(&mut self) -> bool {
        self.eat("$") && self.eat("{")
    }

    fn tuple_or_function(&mut self) -> Result<TypeKind> {
        let mut items: Vec<TypeExpr> = self.list(")", |p| p.param_type().map(|(ty, _)| ty))?;
        if self.eat("=>") {
            return Ok(TypeKind::Fun(items, Box::new(self.type_expr()?)));
        }
        if items.len() == 1 {
            return Ok(items.remove(0).kind);
        }
        Ok(TypeKind::Tuple(items))
    }

    fn field_type(&mut self) -> Result<(Ident, TypeExpr)> {
        let name = self.ident()?;
        self.expect(":")?;
        Ok((name, self.type_expr()?))
    }

    fn named_type(&mut self) -> Result<TypeKind> {
        let mut path = vec![self.ident()?];
        while self.eat(".") {
            path.push(self.ident()?);
        }
        let args = if self.is("[") && !self.after_newline() {
            self.bump();
            self.list("]", Self::type_expr)?
        } else {
            Vec::new()
        };
        Ok(TypeKind::Named(path, args))
    }
}
