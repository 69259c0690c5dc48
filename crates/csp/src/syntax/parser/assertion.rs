//! `assert` and what may follow it.

use super::super::token::Model;
use super::*;

impl Parser<'_> {
    pub(super) fn assertion(&mut self) -> Parsed<Assertion> {
        let start = self.here();
        let negated = self.eat_key(Keyword::Not);
        let process = self.expression()?;
        let claim = match self.peek().clone() {
            Tok::Refines(tag) => {
                let span = self.bump().span;
                let model = self.model(&tag, span)?;
                Claim::Refines { spec: process, model, implementation: self.expression()? }
            }
            Tok::Op(":") => self.property(process)?,
            _ => return self.unexpected("a refinement such as [T= or a property such as :[deadlock free]"),
        };
        let mut options = AssertOptions::default();
        if self.is(":") && *self.peek_at(1) != Tok::Op("[") {
            self.bump();
        }
        while self.is(":") {
            self.option(&mut options)?;
        }
        Ok(Assertion { span: start.to(self.last_span()), negated, claim, options })
    }

    fn model(&self, tag: &str, span: Span) -> Parsed<Model> {
        match Model::named(tag) {
            Some(model) => Ok(model),
            None => {
                self.fail_hint(span, format!("there is no model {tag}"), "the models are T, F, FD, V, VD, R and RD")
            }
        }
    }

    /// The words inside `:[ ... ]`, with `-` between them allowed.
    fn words(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Tok::Ident(name) = *self.peek() {
            words.push(self.symbols.name(name).to_owned());
            self.bump();
            self.eat("-");
        }
        words
    }

    fn property(&mut self, process: Expr) -> Parsed<Claim> {
        self.expect(":")?;
        let start = self.expect("[")?;
        let words = self.words();
        let phrase = words.join(" ");
        let model = self.bracket_word()?;
        let model = match model {
            Some((tag, span)) => Some(self.model(&tag, span)?.basic()),
            None => None,
        };
        self.expect("]")?;
        let span = start.to(self.last_span());
        Ok(match phrase.as_str() {
            "deadlock free" => Claim::DeadlockFree(process, model.unwrap_or(Model::FailuresDivergences)),
            "divergence free" | "livelock free" => Claim::DivergenceFree(process),
            "deterministic" => Claim::Deterministic(process, model.unwrap_or(Model::FailuresDivergences)),
            "has trace" => {
                self.eat(":");
                let trace = self.expression()?;
                Claim::HasTrace { process, model: model.unwrap_or(Model::Traces), trace }
            }
            _ => {
                return self.fail_hint(
                    span,
                    format!("unknown property [{phrase}]"),
                    "the properties are deadlock free, divergence free, livelock free, deterministic and has trace",
                );
            }
        })
    }

    /// `[word]` inside a property or option.
    fn bracket_word(&mut self) -> Parsed<Option<(String, Span)>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let (name, span) = self.ident()?;
        self.expect("]")?;
        Ok(Some((self.symbols.name(name).to_owned(), span)))
    }

    fn option(&mut self, options: &mut AssertOptions) -> Parsed<()> {
        self.expect(":")?;
        let start = self.expect("[")?;
        let phrase = self.words().join(" ");
        let word = self.bracket_word()?;
        self.expect("]")?;
        match phrase.as_str() {
            "tau priority" | "tau priority over" if options.tau_priority.is_some() => {
                return self.fail_hint(start, "tau priority is given twice", "unite the two sets");
            }
            "tau priority" | "tau priority over" => {
                self.eat(":");
                options.tau_priority = Some(self.expression()?);
            }
            "partial order reduce" => options.partial_order = Some(self.reduction(word)?),
            _ => {
                return self.fail_hint(
                    start.to(self.last_span()),
                    format!("unknown option [{phrase}]"),
                    "the options are tau priority over and partial order reduce",
                );
            }
        }
        Ok(())
    }

    fn reduction(&self, word: Option<(String, Span)>) -> Parsed<Reduction> {
        match word.as_ref().map(|(w, s)| (w.as_str(), s)) {
            None | Some(("hybrid", _)) => Ok(Reduction::Hybrid),
            Some(("precise", _)) => Ok(Reduction::Precise),
            Some(("fast", _)) => Ok(Reduction::Fast),
            Some((other, &span)) => {
                self.fail_hint(span, format!("unknown reduction {other}"), "choose precise, hybrid or fast")
            }
        }
    }
}
