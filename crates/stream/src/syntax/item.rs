//! The grammar of statements.
use super::ast::{Annotation, Arg, Def, Expr, ExprKind, Ident, Item, Param, TypeDef};
use super::lexer::{StrToken, Token};
use super::parser::Parser;
use crate::source::{Diagnostic, Result};
use std::rc::Rc;

impl Parser<'_> {
    pub fn item(&mut self) -> Result<Item> {
        self.nested(|p| p.item_inner())
    }

    fn item_inner(&mut self) -> Result<Item> {
        if self.eat("@@") {
            return self.annotation().map(Item::GlobalAnnotation);
        }
        let mut annotations = Vec::new();
        while self.eat("@") {
            annotations.push(self.annotation()?);
        }
        let item = self.statement(annotations)?;
        self.eat(";");
        Ok(item)
    }

    fn statement(&mut self, annotations: Vec<Annotation>) -> Result<Item> {
        let Token::Name(word) = self.peek().clone() else { return self.unexpected("a statement") };
        match &*word {
            "include" => self.include(),
            "def" | "define" => self.definition(annotations, false),
            "liftable" => {
                self.bump();
                self.definition(annotations, true)
            }
            "type" => self.type_definition(),
            "module" => self.module(),
            "import" => self.import(),
            "in" => self.input(annotations),
            "out" => self.output(annotations),
            _ => {
                let expected = "a statement (`in`, `def`, `out`, `type`, `module`, `import`, `include`)";
                self.unexpected(expected)
            }
        }
    }

    fn annotation(&mut self) -> Result<Annotation> {
        let name = self.ident()?;
        let args = if self.is("(") && !self.after_newline() {
            self.bump();
            self.list(")", Self::arg)?
        } else {
            Vec::new()
        };
        Ok(Annotation { name, args })
    }

    fn include(&mut self) -> Result<Item> {
        self.bump();
        let span = self.span();
        let Token::Str(parts) = self.bump().token else {
            return Err(Diagnostic::new("expected the name of a file in quotes", span));
        };
        match parts.as_slice() {
            [StrToken::Text(path)] => Ok(Item::Include(Ident { name: path.as_str().into(), span })),
            _ => Err(Diagnostic::new("the name of an included file must be a plain string", span)
                .hint("interpolation and the empty string are not allowed here")),
        }
    }

    fn definition(&mut self, annotations: Vec<Annotation>, liftable: bool) -> Result<Item> {
        if !self.eat_word("define") {
            self.expect_word("def")?;
        }
        if self.eat("@") || self.eat("@@") {
            return self.annotation_definition();
        }
        let name = self.ident()?;
        let type_params = self.type_params()?;
        let params = if self.eat("(") { Some(self.list(")", Self::param)?) } else { None };
        let result = if self.eat(":") { Some(self.type_expr()?) } else { None };
        self.equals()?;
        let body = self.expr()?;
        let body = self.where_clause(body)?;
        Ok(Item::Def(Rc::new(Def { annotations, liftable, name, type_params, params, result, body })))
    }

    fn annotation_definition(&mut self) -> Result<Item> {
        let name = self.ident()?;
        let params = if self.is("(") && !self.after_newline() {
            self.bump();
            self.list(")", Self::param)?
        } else {
            Vec::new()
        };
        Ok(Item::AnnotationDef(name, params))
    }

    fn type_params(&mut self) -> Result<Vec<Ident>> {
        if self.eat("[") { self.list("]", Self::ident) } else { Ok(Vec::new()) }
    }

    fn equals(&mut self) -> Result<()> {
        if self.eat("=") || self.eat(":=") { Ok(()) } else { self.unexpected("`=`") }
    }

    /// `e where { defs }` is the block `{ defs e }`.
    fn where_clause(&mut self, body: Expr) -> Result<Expr> {
        if !self.eat_word("where") {
            return Ok(body);
        }
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.is("}") {
            items.push(self.local_item()?);
        }
        let span = body.span.to(self.expect("}")?);
        Ok(Expr { kind: ExprKind::Block(Rc::new(items), Box::new(body)), span })
    }

    /// A statement inside a block: anything but inputs, outputs and includes.
    pub fn local_item(&mut self) -> Result<Item> {
        let span = self.span();
        let parens = std::mem::take(&mut self.parens);
        let item = self.item()?;
        self.parens = parens;
        match item {
            Item::In { .. } | Item::Out { .. } | Item::OutAll(_) | Item::Include(_) => {
                Err(Diagnostic::new("`in`, `out` and `include` are only allowed at the top level", span))
            }
            item => Ok(item),
        }
    }

    pub fn param(&mut self) -> Result<Param> {
        let name = self.ident()?;
        let (ty, strict) = if self.eat(":") {
            let (ty, strict) = self.param_type()?;
            (Some(ty), strict)
        } else {
            (None, false)
        };
        Ok(Param { name, ty, strict })
    }

    pub fn arg(&mut self) -> Result<Arg> {
        let named = matches!(self.peek(), Token::Name(_)) && matches!(self.peek_at(1), Token::Sym("=" | ":="));
        let name = if named { Some(self.ident()?) } else { None };
        if named {
            self.bump();
        }
        Ok(Arg { name, value: self.expr()? })
    }

    fn type_definition(&mut self) -> Result<Item> {
        self.bump();
        let name = self.ident()?;
        let params = self.type_params()?;
        self.equals()?;
        let builtin = self.is_word("extern") || self.is_word("__builtin__");
        let body = if builtin {
            self.extern_name()?;
            None
        } else {
            Some(self.type_expr()?)
        };
        Ok(Item::Type(Rc::new(TypeDef { name, params, body })))
    }

    fn module(&mut self) -> Result<Item> {
        self.bump();
        let name = self.ident()?;
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.is("}") && !self.at_end() {
            items.push(self.local_item()?);
        }
        self.expect("}")?;
        Ok(Item::Module(name, Rc::new(items)))
    }

    fn import(&mut self) -> Result<Item> {
        self.bump();
        let mut path = vec![self.ident()?];
        while self.eat(".") {
            path.push(self.ident()?);
        }
        Ok(Item::Import(path))
    }

    fn input(&mut self, annotations: Vec<Annotation>) -> Result<Item> {
        self.bump();
        let name = self.ident()?;
        if !self.is(":") {
            let hint = format!("write `in {}: Events[Int]`, for example", name.name);
            return Err(Diagnostic::new("an input needs a type", name.span).hint(hint));
        }
        self.bump();
        Ok(Item::In { annotations, name, ty: self.type_expr()? })
    }

    fn output(&mut self, annotations: Vec<Annotation>) -> Result<Item> {
        let start = self.bump().span;
        if self.eat("*") {
            return Ok(Item::OutAll(start));
        }
        let value = self.expr()?;
        let name = if self.eat_word("as") { Some(self.ident()?) } else { None };
        Ok(Item::Out { annotations, value, name })
    }
}
