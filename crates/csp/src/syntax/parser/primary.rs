//! What an expression can begin with: literals, names, brackets, `let`, `if`, lambda, replicated operators.

use super::super::precedence::*;
use super::*;

impl Parser<'_> {
    pub(super) fn prefix_expression(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let kind = match self.peek().clone() {
            Tok::Int(n) => self.literal(ExprKind::Int(n)),
            Tok::Char(c) => self.literal(ExprKind::Char(c)),
            Tok::Str(s) => self.literal(ExprKind::Str(s)),
            Tok::Ident(_) => ExprKind::Var(self.ident()?.0),
            Tok::Key(key) => self.keyword_expression(key)?,
            Tok::Op(op) => self.operator_expression(op)?,
            _ => return self.unexpected("an expression"),
        };
        let span = start.to(self.last_span());
        Ok(self.expr_node(span, kind))
    }

    fn literal(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn keyword_expression(&mut self, key: Keyword) -> Parsed<ExprKind> {
        match key {
            Keyword::True | Keyword::False => {
                self.bump();
                Ok(ExprKind::Bool(key == Keyword::True))
            }
            Keyword::Not => {
                self.bump();
                Ok(ExprKind::Not(self.climb(NOT)?))
            }
            Keyword::If => self.conditional(),
            Keyword::Let => self.let_within(),
            _ => self.unexpected("an expression"),
        }
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let condition = self.with_context(false, 0, |p| p.expression())?;
        self.expect_key(Keyword::Then)?;
        let yes = self.with_context(false, 0, |p| p.expression())?;
        self.expect_key(Keyword::Else)?;
        Ok(ExprKind::If(condition, yes, self.expression()?))
    }

    fn let_within(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let errors = self.errors.len();
        let ends = |t: &Tok| matches!(t, Tok::Key(Keyword::Within));
        let decls = self.with_context(true, 0, |p| Ok(p.declarations(ends)))?;
        if self.errors.len() > errors && !self.is_key(Keyword::Within) {
            return Err(Box::new(self.errors.pop().expect("an error was just added")));
        }
        for decl in &decls {
            self.allowed_in_let(decl)?;
        }
        self.expect_key(Keyword::Within)?;
        Ok(ExprKind::Let(Rc::new(decls), self.expression()?))
    }

    fn allowed_in_let(&self, decl: &Decl) -> Parsed<()> {
        let what = match decl.kind {
            DeclKind::Channel(..) => "channels",
            DeclKind::Datatype(..) | DeclKind::Subtype(..) => "datatypes",
            DeclKind::Nametype(..) => "nametypes",
            DeclKind::Assert(..) => "assertions",
            DeclKind::Print(..) => "prints",
            DeclKind::Module(..) | DeclKind::Instance(..) => "modules",
            _ => return Ok(()),
        };
        self.fail_hint(decl.span, format!("{what} cannot be declared inside let"), "move it to the top level")
    }

    fn operator_expression(&mut self, op: &'static str) -> Parsed<ExprKind> {
        match op {
            "(" => self.brackets(),
            "<" => self.sequence(),
            "{" => self.set(),
            "{|" => self.productions(),
            "(|" => self.map(),
            "-" => {
                self.bump();
                Ok(ExprKind::Neg(self.climb(LENGTH)?))
            }
            "#" => {
                self.bump();
                Ok(ExprKind::Length(self.climb(LENGTH)?))
            }
            "\\" => self.lambda(),
            "_" => {
                self.bump();
                Ok(ExprKind::Wildcard)
            }
            "[]" | "|~|" | "|||" | ";" | "[|" | "||" | "[+" | "[" => self.replicated(op),
            _ => self.unexpected("an expression"),
        }
    }

    fn brackets(&mut self) -> Parsed<ExprKind> {
        let open = self.bump().span;
        if self.is(")") {
            return self.fail_hint(open.to(self.here()), "there is no empty tuple", "give it at least one element");
        }
        let items = self.bracketed(|p| p.comma_separated(|p| p.expression()))?;
        if !self.is(")") {
            return self.unclosed(open, ")");
        }
        self.bump();
        Ok(if items.len() == 1 { (*items[0].kind).clone() } else { ExprKind::Tuple(items) })
    }

    fn unclosed<T>(&self, open: Span, close: &str) -> Parsed<T> {
        self.fail_hint(
            self.here(),
            format!("expected `{close}`, found {}", self.describe(self.peek())),
            format!("the bracket at byte {} of the script is still open", open.lo),
        )
    }

    fn sequence(&mut self) -> Parsed<ExprKind> {
        self.bump();
        if self.eat(">") {
            return Ok(ExprKind::Seq(Vec::new(), Vec::new()));
        }
        let kind = self.with_context(false, 1, |p| p.collection(ExprKind::Seq, ExprKind::SeqRange))?;
        self.expect(">")?;
        Ok(kind)
    }

    fn set(&mut self) -> Parsed<ExprKind> {
        self.bump();
        if self.eat("}") {
            return Ok(ExprKind::Set(Vec::new(), Vec::new()));
        }
        let kind = self.bracketed(|p| p.collection(ExprKind::Set, ExprKind::SetRange))?;
        self.expect("}")?;
        Ok(kind)
    }

    /// `a, b`, `a..b`, `a..`, each with `| statements` after it.
    fn collection(
        &mut self,
        listed: fn(Vec<Expr>, Vec<Stmt>) -> ExprKind,
        ranged: fn(Expr, Option<Expr>, Vec<Stmt>) -> ExprKind,
    ) -> Parsed<ExprKind> {
        let first = self.expression()?;
        if self.eat("..") {
            let open_ended = matches!(self.peek(), Tok::Op(">" | "}" | "|"));
            let last = if open_ended { None } else { Some(self.expression()?) };
            return Ok(ranged(first, last, self.such_that()?));
        }
        let mut items = vec![first];
        while self.eat(",") {
            items.push(self.expression()?);
        }
        Ok(listed(items, self.such_that()?))
    }

    fn such_that(&mut self) -> Parsed<Vec<Stmt>> {
        if self.eat("|") { self.statements() } else { Ok(Vec::new()) }
    }

    pub(super) fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        self.comma_separated(|p| {
            let value = p.climb(DOT)?;
            if p.eat("<-") || p.eat(":") {
                let pattern = p.pattern(&value)?;
                return Ok(Stmt::Generator(pattern, p.expression()?));
            }
            Ok(Stmt::Guard(value))
        })
    }

    fn productions(&mut self) -> Parsed<ExprKind> {
        self.bump();
        if self.eat("|}") {
            return Ok(ExprKind::Productions(Vec::new(), Vec::new()));
        }
        let (items, stmts) = self.bracketed(|p| {
            let items = p.comma_separated(|p| p.expression())?;
            Ok((items, p.such_that()?))
        })?;
        self.expect("|}")?;
        Ok(ExprKind::Productions(items, stmts))
    }

    fn map(&mut self) -> Parsed<ExprKind> {
        self.bump();
        if self.eat("|)") {
            return Ok(ExprKind::Map(Vec::new()));
        }
        let entries = self.bracketed(|p| {
            p.comma_separated(|p| {
                let key = p.climb(DOT)?;
                p.expect("=>")?;
                Ok((key, p.expression()?))
            })
        })?;
        self.expect("|)")?;
        Ok(ExprKind::Map(entries))
    }

    fn lambda(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let params = self.comma_separated(|p| {
            let value = p.climb(BOTH)?;
            p.pattern(&value)
        })?;
        self.expect("@")?;
        Ok(ExprKind::Lambda(params, self.expression()?))
    }

    /// `[] x:S @ P`, `[|A|] x:S @ P`, `|| x:S @ [A] P`, `[c <-> d] x:S @ P`.
    fn replicated(&mut self, op: &'static str) -> Parsed<ExprKind> {
        self.bump();
        let repl = match op {
            "[]" => ReplOp::External,
            "|~|" => ReplOp::Internal,
            "|||" => ReplOp::Interleave,
            ";" => ReplOp::Sequential,
            "[|" => ReplOp::Parallel(self.set_up_to("|]")?),
            "[+" => ReplOp::SyncExternal(self.set_up_to("+]")?),
            "[" => {
                let (links, stmts) = self.bracketed(|p| p.pairs("<->"))?;
                self.expect("]")?;
                ReplOp::Link(links, stmts)
            }
            _ => return self.replicated_alphabetised(),
        };
        let stmts = self.bracketed(|p| p.statements())?;
        self.expect("@")?;
        Ok(ExprKind::Replicated(repl, stmts, self.expression()?))
    }

    fn set_up_to(&mut self, close: &'static str) -> Parsed<Expr> {
        let set = self.bracketed(|p| p.expression())?;
        self.expect(close)?;
        Ok(set)
    }

    fn replicated_alphabetised(&mut self) -> Parsed<ExprKind> {
        let stmts = self.bracketed(|p| p.statements())?;
        self.expect("@")?;
        self.expect("[")?;
        let alphabet = self.set_up_to("]")?;
        Ok(ExprKind::Replicated(ReplOp::Alphabetised(alphabet), stmts, self.expression()?))
    }
}
