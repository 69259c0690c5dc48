//! Type annotations: `f :: (Eq a) => ({a}, Int) -> Proc`.

use super::*;

impl Parser<'_> {
    pub(super) fn type_scheme(&mut self) -> Parsed<TypeScheme> {
        let start = self.at;
        if let Ok(constraints) = self.type_constraints()
            && self.eat("=>")
        {
            return Ok(TypeScheme { constraints, body: self.type_expr()? });
        }
        self.at = start;
        Ok(TypeScheme { constraints: Vec::new(), body: self.type_expr()? })
    }

    fn type_constraints(&mut self) -> Parsed<Vec<(Symbol, Symbol, Span)>> {
        let one = |p: &mut Self| {
            let (class, span) = p.ident()?;
            let (var, end) = p.ident()?;
            Ok((class, var, span.to(end)))
        };
        if !self.eat("(") {
            return Ok(vec![one(self)?]);
        }
        let all = self.bracketed(|p| p.comma_separated(one))?;
        self.expect(")")?;
        Ok(all)
    }

    fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.deeper(BRACKETS, "type", Self::type_arrows)
    }

    fn type_arrows(&mut self) -> Parsed<TypeExpr> {
        let left = self.type_dot()?;
        if self.eat("->") {
            let args = match left {
                TypeExpr::Tuple(args) => args,
                one => vec![one],
            };
            return Ok(TypeExpr::Function(args, Box::new(self.type_expr()?)));
        }
        if self.eat("=>*") {
            return Ok(TypeExpr::Extendable(Box::new(left), Box::new(self.type_expr()?)));
        }
        if self.eat("=>") {
            return Ok(TypeExpr::Dotable(Box::new(left), Box::new(self.type_expr()?)));
        }
        Ok(left)
    }

    fn type_dot(&mut self) -> Parsed<TypeExpr> {
        let left = self.type_atom()?;
        if self.eat(".") {
            let right = self.deeper(BRACKETS, "type", Self::type_dot)?;
            return Ok(TypeExpr::Dot(Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn type_atom(&mut self) -> Parsed<TypeExpr> {
        if self.eat("{") {
            let inner = self.bracketed(|p| p.type_expr())?;
            self.expect("}")?;
            return Ok(TypeExpr::Set(Box::new(inner)));
        }
        if self.eat("<") {
            let inner = self.bracketed(|p| p.type_expr())?;
            self.expect(">")?;
            return Ok(TypeExpr::Seq(Box::new(inner)));
        }
        if self.eat("(|") {
            let key = self.bracketed(|p| p.type_dot())?;
            self.expect("=>")?;
            let value = self.bracketed(|p| p.type_expr())?;
            self.expect("|)")?;
            return Ok(TypeExpr::Map(Box::new(key), Box::new(value)));
        }
        if self.eat("(") {
            if self.eat(")") {
                return Ok(TypeExpr::Tuple(Vec::new()));
            }
            let mut items = self.bracketed(|p| p.comma_separated(|p| p.type_expr()))?;
            self.expect(")")?;
            let one = items.len() == 1 && !self.is("->");
            return Ok(if one { items.remove(0) } else { TypeExpr::Tuple(items) });
        }
        let (name, span) = self.ident()?;
        Ok(TypeExpr::Name(name, span))
    }
}
