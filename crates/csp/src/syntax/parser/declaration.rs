//! Declarations: one to a line, in any order, with neighbouring clauses of one function joined.

use super::*;

impl Parser<'_> {
    /// Declarations up to a token that ends them, recovering after each error.
    pub(super) fn declarations(&mut self, ends: impl Fn(&Tok) -> bool) -> Vec<Decl> {
        let mut decls: Vec<Decl> = Vec::new();
        while !ends(self.peek()) && *self.peek() != Tok::Eof {
            let (before, depth) = (self.at, self.depth);
            if depth == self.sections {
                self.operators = 0;
            }
            if self.is_late() {
                self.at = self.tokens.len() - 1;
                break;
            }
            match self.declaration() {
                Ok(decl) => self.join_clause(&mut decls, decl),
                Err(error) => {
                    self.depth = depth;
                    if self.errors.len() < MAX_ERRORS {
                        self.errors.push(*error);
                        self.recover(before, &ends);
                    } else {
                        self.at = self.tokens.len() - 1;
                    }
                }
            }
        }
        decls
    }

    /// Skips to the start of the next declaration: a token on a new line that can begin one.
    fn recover(&mut self, before: usize, ends: &impl Fn(&Tok) -> bool) {
        if self.at == before {
            self.bump();
        }
        while *self.peek() != Tok::Eof && !ends(self.peek()) {
            let token = &self.tokens[self.at];
            let starts = match &token.tok {
                Tok::Key(key) => key.starts_declaration(),
                Tok::Ident(_) => token.newline && self.looks_like_definition(),
                _ => false,
            };
            if starts {
                return;
            }
            self.bump();
        }
    }

    /// A name on a new line is a definition if an `=` follows it on that line outside brackets.
    fn looks_like_definition(&self) -> bool {
        let mut depth = 0i32;
        for token in &self.tokens[self.at + 1..] {
            match token.tok {
                _ if token.newline => return false,
                Tok::Op("(" | "<" | "{" | "(|") => depth += 1,
                Tok::Op(")" | ">" | "}" | "|)") => depth -= 1,
                Tok::Op("=" | "::") if depth == 0 => return true,
                Tok::Op("," | "^" | ".") | Tok::Ident(_) | Tok::Int(_) | Tok::Op("_") => {}
                _ if depth > 0 => {}
                _ => return false,
            }
        }
        false
    }

    fn declaration(&mut self) -> Parsed<Decl> {
        let start = self.here();
        let kind = match *self.peek() {
            Tok::Key(key) => self.keyword_declaration(key)?,
            _ => self.definition()?,
        };
        let span = start.to(self.last_span());
        let next = &self.tokens[self.at];
        let block_end =
            matches!(next.tok, Tok::Key(Keyword::Within | Keyword::Endmodule | Keyword::Exports) | Tok::Op("}"));
        if !next.newline && next.tok != Tok::Eof && !block_end {
            return self.fail_hint(
                self.here(),
                format!("expected the end of this declaration, found {}", self.describe(self.peek())),
                "start the next declaration on a new line, or check the operator before this",
            );
        }
        Ok(Decl { span, kind })
    }

    fn keyword_declaration(&mut self, key: Keyword) -> Parsed<DeclKind> {
        match key {
            Keyword::Channel => self.channel(),
            Keyword::Datatype => self.datatype().map(|(name, ctors)| DeclKind::Datatype(name, ctors)),
            Keyword::Subtype => self.datatype().map(|(name, ctors)| DeclKind::Subtype(name, ctors)),
            Keyword::Nametype => self.nametype(),
            Keyword::Transparent => {
                self.bump();
                self.idents().map(DeclKind::Transparent)
            }
            Keyword::External => {
                self.bump();
                self.idents().map(DeclKind::External)
            }
            Keyword::Assert => {
                self.bump();
                self.assertion().map(|a| DeclKind::Assert(Rc::new(a)))
            }
            Keyword::Print => {
                self.bump();
                self.expression().map(DeclKind::Print)
            }
            Keyword::Module => self.section("module", Self::module),
            Keyword::Instance => self.instance(),
            Keyword::Timed => self.section("section", Self::timed),
            _ => self.definition(),
        }
    }

    fn channel(&mut self) -> Parsed<DeclKind> {
        self.bump();
        let names = self.idents()?;
        let of = if self.eat(":") { Some(self.expression()?) } else { None };
        Ok(DeclKind::Channel(names, of))
    }

    fn datatype(&mut self) -> Parsed<(Symbol, Vec<Constructor>)> {
        self.bump();
        let (name, _) = self.ident()?;
        self.expect("=")?;
        let mut ctors = vec![self.constructor()?];
        while self.eat("|") {
            ctors.push(self.constructor()?);
        }
        Ok((name, ctors))
    }

    fn constructor(&mut self) -> Parsed<Constructor> {
        let (name, span) = self.ident()?;
        let of = if self.eat(".") { Some(self.climb(super::super::precedence::DOT)?) } else { None };
        Ok(Constructor { name, span, of })
    }

    fn nametype(&mut self) -> Parsed<DeclKind> {
        self.bump();
        let (name, _) = self.ident()?;
        self.expect("=")?;
        Ok(DeclKind::Nametype(name, self.expression()?))
    }

    /// Modules and timed sections, which have declarations of their own.
    fn section<T>(&mut self, what: &str, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.sections += BRACKETS;
        let result = self.deeper(BRACKETS, what, inner);
        self.sections -= BRACKETS;
        result
    }

    fn module(&mut self) -> Parsed<DeclKind> {
        self.bump();
        let (name, _) = self.ident()?;
        let params = if self.is("(") { self.parameter_group()? } else { Vec::new() };
        let ends = |t: &Tok| matches!(t, Tok::Key(Keyword::Exports | Keyword::Endmodule));
        let private = self.declarations(ends);
        let exports = if self.eat_key(Keyword::Exports) { self.declarations(ends) } else { Vec::new() };
        self.expect_key(Keyword::Endmodule)?;
        Ok(DeclKind::Module(Module { name, params, private, exports }))
    }

    fn instance(&mut self) -> Parsed<DeclKind> {
        self.bump();
        let (name, _) = self.ident()?;
        self.expect("=")?;
        let (module, _) = self.ident()?;
        let args = if self.eat("(") {
            let args = self.bracketed(|p| p.comma_separated(|p| p.expression()))?;
            self.expect(")")?;
            args
        } else {
            Vec::new()
        };
        Ok(DeclKind::Instance(name, module, args))
    }

    fn timed(&mut self) -> Parsed<DeclKind> {
        self.bump();
        let cost = if self.eat("(") {
            let cost = self.bracketed(|p| p.expression())?;
            self.expect(")")?;
            Some(cost)
        } else {
            None
        };
        self.expect("{")?;
        let decls = self.with_context(true, 0, |p| Ok(p.declarations(|t| matches!(t, Tok::Op("}")))))?;
        self.expect("}")?;
        Ok(DeclKind::Timed(cost, decls))
    }

    /// `f(x) = e`, `(a, b) = e`, `f, g :: T`.
    fn definition(&mut self) -> Parsed<DeclKind> {
        let start = self.here();
        if self.annotation_follows() {
            let names = self.idents()?;
            self.expect("::")?;
            return Ok(DeclKind::Annotation(names, self.type_scheme()?));
        }
        let left = self.climb(super::super::precedence::DOT)?;
        if !self.is("=") {
            return self.fail_hint(
                self.here(),
                format!("expected `=`, found {}", self.describe(self.peek())),
                "a declaration is name = expression, or begins with channel, datatype, nametype, assert, ...",
            );
        }
        self.bump();
        let body = self.expression()?;
        self.bind(start, left, body)
    }

    fn annotation_follows(&self) -> bool {
        let mut ahead = 0;
        while let Tok::Ident(_) = self.peek_at(ahead) {
            match self.peek_at(ahead + 1) {
                Tok::Op("::") => return true,
                Tok::Op(",") => ahead += 2,
                _ => return false,
            }
        }
        false
    }

    /// Turns the left side, parsed as an expression, into a function clause or a pattern.
    fn bind(&mut self, start: Span, left: Expr, body: Expr) -> Parsed<DeclKind> {
        let span = start.to(body.span);
        let mut params = Vec::new();
        let mut head = &left;
        while let ExprKind::App(function, args) = &*head.kind {
            params.push(args.iter().map(|a| self.pattern(a)).collect::<Parsed<Vec<_>>>()?);
            head = function;
        }
        params.reverse();
        match &*head.kind {
            ExprKind::Var(name) => Ok(DeclKind::Function(*name, Rc::new(vec![Clause { span, params, body }]))),
            _ if params.is_empty() => Ok(DeclKind::Pattern(self.pattern(&left)?, body)),
            _ => self.fail(head.span, "only a name can be defined as a function"),
        }
    }

    /// Adds a clause to the function just before it, if it has the same name, takes arguments and stands in the same file.
    fn join_clause(&self, decls: &mut Vec<Decl>, decl: Decl) {
        if let DeclKind::Function(name, clauses) = &decl.kind
            && let Some(Decl { span, kind: DeclKind::Function(previous, so_far) }) = decls.last_mut()
            && previous == name
            && !clauses[0].params.is_empty()
            && self.file_of(*span) == self.file_of(decl.span)
        {
            *span = span.to(decl.span);
            Rc::make_mut(so_far).extend(clauses.iter().cloned());
            return;
        }
        decls.push(decl);
    }

    /// Which file a span is in.
    fn file_of(&self, span: Span) -> usize {
        self.files.partition_point(|&start| start <= span.lo)
    }
}
