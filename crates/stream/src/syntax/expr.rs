//! The grammar of expressions. Operators become calls of `Operators.…`.
use super::ast::{Arg, Expr, ExprKind, Ident, Item, StrPart};
use super::lexer::{StrToken, Token};
use super::parser::{Dialect, Parser, is_keyword};
use crate::source::{Diagnostic, Result, Span};
use std::rc::Rc;

/// Binary operators and the functions they stand for, loosest binding first.
const LEVELS: [&[(&str, &str)]; 8] = [
    &[("||", "or")],
    &[("&&", "and")],
    &[
        ("==", "eq"),
        ("!=", "neq"),
        ("<=.", "fleq"),
        (">=.", "fgeq"),
        ("<.", "flt"),
        (">.", "fgt"),
        ("<=", "leq"),
        (">=", "geq"),
        ("<", "lt"),
        (">", "gt"),
    ],
    &[("|", "bitor"), ("^", "bitxor")],
    &[("&", "bitand")],
    &[("<<", "leftshift"), (">>", "rightshift")],
    &[("+.", "fadd"), ("-.", "fsub"), ("+", "add"), ("-", "sub")],
    &[("*.", "fmul"), ("/.", "fdiv"), ("*", "mul"), ("/", "div"), ("%", "mod")],
];

/// Units of time, as they are written behind a number.
const TIME_UNITS: [&str; 10] = ["fs", "ps", "ns", "us", "µs", "ms", "s", "min", "h", "d"];

const UNARY: [(&str, &str); 4] = [("!", "not"), ("~", "bitflip"), ("-.", "fnegate"), ("-", "negate")];

impl Parser<'_> {
    pub fn expr(&mut self) -> Result<Expr> {
        self.nested(|p| p.expr_inner())
    }

    fn expr_inner(&mut self) -> Result<Expr> {
        let start = self.span();
        if self.is_word("static") && matches!(self.peek_at(1), Token::Name(n) if &**n == "if") {
            self.bump();
            return self.conditional(start, true);
        }
        if self.is_word("if") {
            return self.conditional(start, false);
        }
        if self.lambda_ahead() {
            return self.lambda(start);
        }
        self.binary(0)
    }

    fn conditional(&mut self, start: Span, is_static: bool) -> Result<Expr> {
        self.expect_word("if")?;
        let cond = Box::new(self.expr()?);
        self.expect_word("then")?;
        let then = Box::new(self.expr()?);
        let other = if self.eat_word("else") { Some(Box::new(self.expr()?)) } else { None };
        if other.is_none() && (is_static || self.dialect == Dialect::Tessla12) {
            let hint = "add an `else`, or use `filter`; `if` without `else` is the 2018 dialect (`--dialect 2018`)";
            return Err(Diagnostic::new("this `if` has no `else`", start).hint(hint));
        }
        Ok(Expr { kind: ExprKind::If { is_static, cond, then, other }, span: start.to(self.last_span()) })
    }

    /// Whether the parenthesis here opens the parameters of a lambda.
    fn lambda_ahead(&self) -> bool {
        let from = usize::from(self.is_word("fun"));
        if !matches!(self.peek_at(from), Token::Sym("(")) {
            return false;
        }
        let mut depth = 0usize;
        for ahead in from.. {
            match self.peek_at(ahead) {
                Token::Sym("(" | "[" | "{") => depth += 1,
                Token::Sym(")" | "]" | "}") => depth -= 1,
                Token::End => return false,
                _ => {}
            }
            if depth == 0 {
                return matches!(self.peek_at(ahead + 1), Token::Sym("=>"));
            }
        }
        false
    }

    fn lambda(&mut self, start: Span) -> Result<Expr> {
        self.eat_word("fun");
        self.expect("(")?;
        let params = self.list(")", Self::param)?;
        self.expect("=>")?;
        let body = Box::new(self.expr()?);
        let span = start.to(body.span);
        Ok(Expr { kind: ExprKind::Lambda(params, body), span })
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut middle = None;
        while let Some((symbol, function)) = operators.iter().find(|(s, _)| self.is(s)) {
            // A sign at the start of a line begins a new expression, unless parentheses are open.
            if self.after_newline() && self.parens == 0 && symbol.starts_with('-') {
                break;
            }
            let span = self.bump().span;
            let right = if self.starts_open_expr() { self.expr()? } else { self.binary(level + 1)? };
            // In the 2018 dialect `a < b < c` is `a < b && b < c`.
            let chained = self.dialect == Dialect::Tessla2018 && is_order(function);
            let behind = chained.then(|| right.clone());
            left = match std::mem::replace(&mut middle, behind).filter(|_| chained) {
                Some(middle) => {
                    let next = operator(function, span, vec![middle, right]);
                    operator("and", span, vec![left, next])
                }
                None => operator(function, span, vec![left, right]),
            };
        }
        Ok(left)
    }

    fn starts_open_expr(&self) -> bool {
        self.is_word("if") || self.is_word("static")
    }

    fn unary(&mut self) -> Result<Expr> {
        match UNARY.iter().find(|(symbol, _)| self.is(symbol)) {
            Some((_, function)) => {
                let span = self.bump().span;
                let operand = self.nested(|p| p.unary())?;
                Ok(operator(function, span, vec![operand]))
            }
            None => self.postfix(),
        }
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut expr = self.primary()?;
        loop {
            let joined = !self.after_newline() || self.parens > 0;
            let kind = if self.eat(".") {
                ExprKind::Member(Box::new(expr.take()), self.ident()?)
            } else if joined && self.eat("(") {
                ExprKind::Call(Box::new(expr.take()), self.args()?)
            } else if joined && self.is("[") {
                self.bump();
                ExprKind::Apply(Box::new(expr.take()), self.list("]", Self::type_expr)?)
            } else {
                return Ok(expr);
            };
            expr = Expr { kind, span: expr.span.to(self.last_span()) };
        }
    }

    fn args(&mut self) -> Result<Vec<Arg>> {
        self.list(")", Self::arg)
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value, unit) => {
                self.bump();
                match unit.or_else(|| self.unit_ahead()) {
                    None => ExprKind::Int(value),
                    Some(name) => ExprKind::Duration(value, Ident { name, span: start }),
                }
            }
            Token::Float(value) => {
                self.bump();
                ExprKind::Float(value)
            }
            Token::Str(parts) => {
                self.bump();
                ExprKind::Str(self.string_parts(parts)?)
            }
            Token::Sym("(") => return self.parenthesised(),
            Token::Sym("{") => return self.braces(),
            Token::Sym("$") if *self.peek_at(1) == Token::Sym("{") => {
                self.bump();
                return self.braces();
            }
            Token::Name(word) => self.word_expr(&word)?,
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { kind, span: start.to(self.last_span()) })
    }

    fn word_expr(&mut self, word: &str) -> Result<ExprKind> {
        match word {
            "extern" | "__builtin__" if *self.peek_at(1) == Token::Sym("(") => {
                Ok(ExprKind::Extern(self.extern_name()?))
            }
            "__root__" => {
                self.bump();
                Ok(ExprKind::Root)
            }
            word if is_keyword(word) => self.unexpected("an expression"),
            _ => Ok(ExprKind::Name(self.ident()?)),
        }
    }

    /// A unit of time that stands apart from its number, in the same line.
    fn unit_ahead(&mut self) -> Option<Rc<str>> {
        let Token::Name(word) = self.peek() else { return None };
        let unit = Some(word.clone()).filter(|word| TIME_UNITS.contains(&&**word) && !self.after_newline())?;
        self.bump();
        Some(unit)
    }

    /// `extern("name")` or, as before 1.2, `__builtin__(name)`.
    pub fn extern_name(&mut self) -> Result<Ident> {
        self.bump();
        self.expect("(")?;
        let lexeme = self.bump();
        let name = match lexeme.token {
            Token::Name(name) => name,
            Token::Str(parts) => match parts.as_slice() {
                [StrToken::Text(text)] => text.as_str().into(),
                _ => return Err(Diagnostic::new("expected a plain string", lexeme.span)),
            },
            _ => return Err(Diagnostic::new("expected the name of a built-in", lexeme.span)),
        };
        self.expect(")")?;
        Ok(Ident { name, span: lexeme.span })
    }

    fn string_parts(&mut self, parts: Vec<StrToken>) -> Result<Vec<StrPart>> {
        parts.into_iter().map(|part| self.string_part(part)).collect()
    }

    fn string_part(&mut self, part: StrToken) -> Result<StrPart> {
        match part {
            StrToken::Text(text) => Ok(StrPart::Text(text)),
            StrToken::Expr(range, format) => {
                let mut inner = Parser::new(self.text, range, self.dialect)?;
                inner.parens = 1;
                let expr = inner.expr()?;
                if !inner.at_end() {
                    return inner.unexpected("the end of the interpolated expression");
                }
                Ok(StrPart::Expr(expr, format))
            }
        }
    }

    fn parenthesised(&mut self) -> Result<Expr> {
        let start = self.expect("(")?;
        let mut items = self.list(")", Self::expr)?;
        let span = start.to(self.last_span());
        if items.len() == 1 {
            let mut only = items.remove(0);
            only.span = span;
            return Ok(only);
        }
        Ok(Expr { kind: ExprKind::Tuple(items), span })
    }

    /// A record or a block.
    fn braces(&mut self) -> Result<Expr> {
        let start = self.expect("{")?;
        let named = matches!(self.peek(), Token::Name(word) if !is_keyword(word));
        let field = named && matches!(self.peek_at(1), Token::Sym("=" | ":=" | ":" | "," | "}"));
        if self.is("}") || field {
            let fields = self.list("}", Self::field)?;
            return Ok(Expr { kind: ExprKind::Record(fields), span: start.to(self.last_span()) });
        }
        let parens = std::mem::take(&mut self.parens);
        let mut items: Vec<Item> = Vec::new();
        while self.block_item_ahead() {
            items.push(self.local_item()?);
        }
        self.eat_word("return");
        let value = self.expr()?;
        self.parens = parens;
        let span = start.to(self.expect("}")?);
        Ok(Expr { kind: ExprKind::Block(Rc::new(items), Box::new(value)), span })
    }

    fn block_item_ahead(&self) -> bool {
        match self.peek() {
            Token::Sym("@" | "@@") => true,
            Token::Name(word) => {
                matches!(&**word, "def" | "define" | "liftable" | "module" | "import" | "in" | "out" | "include")
                    || &**word == "type" && matches!(self.peek_at(1), Token::Name(_))
            }
            _ => false,
        }
    }

    fn field(&mut self) -> Result<(Ident, Expr)> {
        let name = self.ident()?;
        if !(self.eat("=") || self.eat(":=") || self.eat(":")) {
            let value = Expr { kind: ExprKind::Name(name.clone()), span: name.span };
            return Ok((name, value));
        }
        Ok((name, self.expr()?))
    }
}

fn is_order(function: &str) -> bool {
    matches!(function, "lt" | "leq" | "gt" | "geq" | "flt" | "fleq" | "fgt" | "fgeq")
}

fn operator(function: &str, span: Span, args: Vec<Expr>) -> Expr {
    let whole = args.iter().fold(span, |all, arg| all.to(arg.span));
    let root = Expr { kind: ExprKind::Root, span };
    let module = Expr { kind: ExprKind::Member(Box::new(root), Ident { name: "Operators".into(), span }), span };
    let callee = Expr { kind: ExprKind::Member(Box::new(module), Ident { name: function.into(), span }), span };
    let args = args.into_iter().map(|value| Arg { name: None, value }).collect();
    Expr { kind: ExprKind::Call(Box::new(callee), args), span: whole }
}
