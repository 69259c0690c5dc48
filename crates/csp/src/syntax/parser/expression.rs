//! Binary operators, by precedence climbing.

use super::super::precedence::*;
use super::*;

/// What stands in `[[ ]]` or between the brackets of a link.
pub(super) type Pairs = (Vec<(Expr, Expr)>, Vec<Stmt>);

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.climb(LOOSEST)
    }

    /// Parses an expression whose operators all bind at least as tightly as `min`.
    pub(super) fn climb(&mut self, min: u8) -> Parsed<Expr> {
        self.climb_deeper(BRACKETS, min)
    }

    fn climb_deeper(&mut self, levels: u32, min: u8) -> Parsed<Expr> {
        self.deeper(levels, "expression", |p| p.climb_from(min))
    }

    fn climb_from(&mut self, min: u8) -> Parsed<Expr> {
        let mut left = self.prefix_expression()?;
        let mut last_nonassoc = u8::MAX;
        while let Some((op, level)) = self.infix() {
            if level < min {
                break;
            }
            if level == last_nonassoc {
                return self.fail_hint(
                    self.here(),
                    format!("`{op}` cannot be chained"),
                    "put brackets around one side",
                );
            }
            self.operators += 1;
            if self.operators > self.max_operators {
                let message = format!("this declaration has more than {} operators", self.max_operators);
                return self.fail_hint(self.here(), message, "name its parts");
            }
            last_nonassoc = if matches!(level, COMPARE | PARALLEL) { level } else { u8::MAX };
            left = self.infix_expression(left, op, level)?;
        }
        Ok(left)
    }

    /// The operator here, if it continues the expression, with its level.
    fn infix(&self) -> Option<(&'static str, u8)> {
        let token = &self.tokens[self.at];
        let Tok::Op(op) = token.tok else {
            return match token.tok {
                Tok::Key(Keyword::And) => Some(("and", AND)),
                Tok::Key(Keyword::Or) => Some(("or", OR)),
                _ => None,
            };
        };
        let starts_a_line = self.newlines && token.newline;
        if starts_a_line && matches!(op, "-" | "<" | "(" | "_" | "#" | "{" | "{|" | "(|") {
            return None;
        }
        if op == ">" && self.open_sequences > 0 {
            return None;
        }
        let level = match op {
            "\\" | "|\\" => HIDE,
            "|||" => INTERLEAVE,
            "[|" | "[" => PARALLEL,
            "|~|" => INTERNAL,
            "[]" | "[+" => EXTERNAL,
            "/\\" | "/+" => INTERRUPT,
            "[>" => SLIDING,
            ";" => SEQUENTIAL,
            "->" | "&" => PREFIX,
            "?" | "!" | "$" => FIELD,
            "." => DOT,
            "==" | "!=" | "<" | "<=" | ">" | ">=" => COMPARE,
            "+" | "-" => ADD,
            "*" | "/" | "%" => MULTIPLY,
            "^" => CONCAT,
            "(" | "[[" => APPLY,
            "@@" => BOTH,
            _ => return None,
        };
        Some((op, level))
    }

    fn infix_expression(&mut self, left: Expr, op: &'static str, level: u8) -> Parsed<Expr> {
        match op {
            "?" | "!" | "$" => return self.communication(left),
            "(" => return self.application(left),
            "[[" => return self.renaming(left),
            "[|" => return self.shared(left),
            "[" => return self.alphabetised_or_link(left),
            "[+" => return self.on_set(left, "[+", "+]", SetOp::SyncExternal, EXTERNAL),
            "/+" => return self.on_set(left, "/+", "+\\", SetOp::SyncInterrupt, INTERRUPT),
            _ => {}
        }
        self.bump();
        // `;` is associative. Nested to the right, the first process is at the top, where every step begins.
        let right = match op {
            "->" | "&" | ";" => self.climb_deeper(1, level),
            "." => self.climb(level),
            // The set ends before the next process operator: `P \ A ||| Q` is `(P \ A) ||| Q`.
            "\\" | "|\\" => self.climb(DOT),
            _ => self.climb(level + 1),
        }?;
        let span = left.span.to(right.span);
        let kind = simple_infix(op, left, right);
        Ok(self.expr_node(span, kind))
    }

    /// `c?x:S!y -> P`.
    fn communication(&mut self, head: Expr) -> Parsed<Expr> {
        let mut fields = Vec::new();
        while let Tok::Op(op @ ("?" | "!" | "$")) = *self.peek() {
            fields.push(self.field(op)?);
        }
        if !self.is("->") {
            return self.fail_hint(
                self.here(),
                format!("expected `->` after a communication, found {}", self.describe(self.peek())),
                "write c?x!y -> P",
            );
        }
        self.bump();
        let body = self.climb_deeper(1, PREFIX)?;
        let span = head.span.to(body.span);
        Ok(self.expr_node(span, ExprKind::Prefix(head, fields, body)))
    }

    fn field(&mut self, op: &str) -> Parsed<Field> {
        let start = self.bump().span;
        let value = self.climb(DOT)?;
        let kind = if op == "!" {
            FieldKind::Output(value)
        } else {
            let pattern = self.pattern(&value)?;
            let from = if self.eat(":") { Some(self.climb(DOT)?) } else { None };
            if op == "?" { FieldKind::Input(pattern, from) } else { FieldKind::NondetInput(pattern, from) }
        };
        Ok(Field { span: start.to(self.last_span()), kind })
    }

    fn application(&mut self, function: Expr) -> Parsed<Expr> {
        self.bump();
        let args = if self.is(")") { Vec::new() } else { self.bracketed(|p| p.comma_separated(|p| p.expression()))? };
        let span = function.span.to(self.expect(")")?);
        Ok(self.expr_node(span, ExprKind::App(function, args)))
    }

    fn renaming(&mut self, process: Expr) -> Parsed<Expr> {
        self.bump();
        let (pairs, stmts) = self.bracketed(|p| p.pairs("<-"))?;
        let span = process.span.to(self.expect("]]")?);
        Ok(self.expr_node(span, ExprKind::Rename(process, pairs, stmts)))
    }

    /// `a <- b, c <- d | x <- S`, with `<-` or `<->` between the two of a pair.
    pub(super) fn pairs(&mut self, arrow: &'static str) -> Parsed<Pairs> {
        let pairs = self.comma_separated(|p| {
            let from = p.climb(DOT)?;
            p.expect(arrow)?;
            Ok((from, p.climb(DOT)?))
        })?;
        let stmts = if self.eat("|") { self.statements()? } else { Vec::new() };
        Ok((pairs, stmts))
    }

    /// `P [|A|] Q` and `P [|A|> Q`.
    fn shared(&mut self, left: Expr) -> Parsed<Expr> {
        self.bump();
        let set = self.bracketed(|p| p.expression())?;
        let op = match self.peek() {
            Tok::Op("|>") => SetOp::Exception,
            Tok::Op("|]") => SetOp::Parallel,
            _ => return self.unexpected("`|]` or `|>`"),
        };
        self.bump();
        let right = self.climb(PARALLEL + 1)?;
        let span = left.span.to(right.span);
        Ok(self.expr_node(span, ExprKind::OnSet(op, left, set, right)))
    }

    fn on_set(&mut self, left: Expr, _open: &str, close: &'static str, op: SetOp, level: u8) -> Parsed<Expr> {
        self.bump();
        let set = self.bracketed(|p| p.expression())?;
        self.expect(close)?;
        let right = self.climb(level + 1)?;
        let span = left.span.to(right.span);
        Ok(self.expr_node(span, ExprKind::OnSet(op, left, set, right)))
    }

    /// `P [A || B] Q` and `P [c <-> d] Q`.
    fn alphabetised_or_link(&mut self, left: Expr) -> Parsed<Expr> {
        self.bump();
        let start = self.at;
        let first = self.bracketed(|p| p.expression())?;
        if self.is("<->") {
            self.at = start;
            let (links, stmts) = self.bracketed(|p| p.pairs("<->"))?;
            self.expect("]")?;
            let right = self.climb(PARALLEL + 1)?;
            let span = left.span.to(right.span);
            return Ok(self.expr_node(span, ExprKind::Link(left, links, stmts, right)));
        }
        self.expect("||")?;
        let second = self.bracketed(|p| p.expression())?;
        self.expect("]")?;
        let right = self.climb(PARALLEL + 1)?;
        let span = left.span.to(right.span);
        Ok(self.expr_node(span, ExprKind::Alphabetised(left, first, second, right)))
    }
}

fn simple_infix(op: &str, left: Expr, right: Expr) -> ExprKind {
    let bin = |b| ExprKind::Bin(b, left.clone(), right.clone());
    let process = |p| ExprKind::Proc(p, left.clone(), right.clone());
    match op {
        "and" => bin(BinOp::And),
        "or" => bin(BinOp::Or),
        "==" => bin(BinOp::Eq),
        "!=" => bin(BinOp::Ne),
        "<" => bin(BinOp::Lt),
        "<=" => bin(BinOp::Le),
        ">" => bin(BinOp::Gt),
        ">=" => bin(BinOp::Ge),
        "+" => bin(BinOp::Add),
        "-" => bin(BinOp::Sub),
        "*" => bin(BinOp::Mul),
        "/" => bin(BinOp::Div),
        "%" => bin(BinOp::Mod),
        "^" => bin(BinOp::Concat),
        "[]" => process(ProcOp::External),
        "|~|" => process(ProcOp::Internal),
        ";" => process(ProcOp::Sequential),
        "/\\" => process(ProcOp::Interrupt),
        "[>" => process(ProcOp::Sliding),
        "|||" => process(ProcOp::Interleave),
        "\\" => ExprKind::Hide(left, right),
        "|\\" => ExprKind::Project(left, right),
        "->" => ExprKind::Prefix(left, Vec::new(), right),
        "&" => ExprKind::Guard(left, right),
        "@@" => ExprKind::Both(left, right),
        _ => ExprKind::Dot(left, right),
    }
}
