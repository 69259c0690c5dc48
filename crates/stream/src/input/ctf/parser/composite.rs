//! Structures, enumerations, variants and arrays.
use super::{MAX_ALIGN, Parser, plain};
use crate::input::ctf::CtfProblem;
use crate::input::ctf::lexer::Token;
use crate::input::ctf::types::{Label, StructType, Type};
use std::rc::Rc;

impl Parser {
    pub(super) fn structure(&mut self) -> Result<Type, CtfProblem> {
        let name = self.optional_name("struct");
        if !self.eat("{") {
            return self.by_tag(name);
        }
        let (names, types) = self.scoped(Parser::fields)?;
        let mut align = types.iter().map(Type::align).max().unwrap_or(1);
        if self.eat_word("align") {
            self.expect("(")?;
            let own = self.number()?;
            self.expect(")")?;
            if !(1..=MAX_ALIGN).contains(&own) || own.count_ones() != 1 {
                return Err(self.wrong("an alignment is a power of two"));
            }
            align = align.max(own as u64);
        }
        let ty = Type::Struct(Rc::new(StructType { names: names.into(), types, align }));
        self.define_tag(name, &ty);
        Ok(ty)
    }

    /// The name of a structure, variant or enumeration, with its kind before it.
    fn optional_name(&mut self, kind: &str) -> Option<String> {
        let Some(Token::Word(word)) = self.peek().cloned() else { return None };
        self.at += 1;
        Some(format!("{kind} {word}"))
    }

    fn by_tag(&self, name: Option<String>) -> Result<Type, CtfProblem> {
        let name = name.ok_or_else(|| self.wrong("expected `{` or a name"))?;
        self.known(&name).ok_or_else(|| self.wrong(format!("there is no `{name}`")))
    }

    fn define_tag(&mut self, name: Option<String>, ty: &Type) {
        if let Some(name) = name {
            self.define(name, ty.clone());
        }
    }

    /// The fields of a structure, up to its closing brace.
    fn fields(&mut self) -> Result<(Vec<Rc<str>>, Vec<Type>), CtfProblem> {
        let (mut names, mut types) = (Vec::new(), Vec::new());
        while !self.eat("}") {
            if self.definition()? {
                continue;
            }
            let ty = self.type_()?;
            loop {
                let (name, ty) = self.declarator(ty.clone())?;
                names.push(plain(name));
                types.push(ty);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        Ok((names, types))
    }

    /// A name, and behind it the lengths of arrays.
    pub(super) fn declarator(&mut self, ty: Type) -> Result<(Rc<str>, Type), CtfProblem> {
        let name = self.word()?;
        let mut lengths = Vec::new();
        while self.eat("[") {
            lengths.push(match self.peek() {
                Some(Token::Number(_)) => Ok(self.number()?),
                _ => Err(self.path()?),
            });
            self.expect("]")?;
        }
        let array = |element: Type, length| match length {
            Ok(count) => u64::try_from(count).ok().map(|count| Type::Array(Rc::new(element), count)),
            Err(path) => Some(Type::Sequence(Rc::new(element), path)),
        };
        let ty = lengths.into_iter().rev().try_fold(ty, array);
        Ok((name, ty.ok_or_else(|| self.wrong("an array has a length of zero or more"))?))
    }

    pub(super) fn enumeration(&mut self) -> Result<Type, CtfProblem> {
        let is_named = matches!(self.peek(), Some(Token::Word(_)));
        let name = if is_named { self.optional_name("enum") } else { None };
        let base = if self.eat(":") { Some(self.type_()?) } else { None };
        if base.is_none() && !matches!(self.peek(), Some(Token::Sign("{"))) {
            return self.by_tag(name);
        }
        let base = base.or_else(|| self.known("int"));
        let Some(Type::Int(base)) = base else { return Err(self.wrong("an enumeration is one of integers")) };
        let ty = Type::Enum(base, self.labels()?.into());
        self.define_tag(name, &ty);
        Ok(ty)
    }

    fn labels(&mut self) -> Result<Vec<Label>, CtfProblem> {
        self.expect("{")?;
        let (mut labels, mut next) = (Vec::new(), 0);
        while !self.eat("}") {
            let label = match self.peek() {
                Some(Token::Text(text)) => {
                    let text = text.clone();
                    self.at += 1;
                    text
                }
                _ => self.word()?,
            };
            let from = if self.eat("=") { self.number()? } else { next };
            let to = if self.eat("...") { self.number()? } else { from };
            next = to + 1;
            labels.push((plain(label), from, to));
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(labels)
    }

    pub(super) fn variant(&mut self) -> Result<Type, CtfProblem> {
        let name = self.optional_name("variant");
        let tag = if self.eat("<") {
            let tag = self.path()?;
            self.expect(">")?;
            Some(tag)
        } else {
            None
        };
        let options: Rc<[(Rc<str>, Type)]> = if self.eat("{") {
            let (names, types) = self.scoped(Parser::fields)?;
            names.into_iter().zip(types).collect()
        } else {
            let Type::Variant(_, options) = self.by_tag(name.clone())? else {
                return Err(self.wrong("expected a variant"));
            };
            options
        };
        // One without a tag gets it where it is used.
        let ty = Type::Variant(tag.unwrap_or_default(), options);
        self.define_tag(name, &ty);
        Ok(ty)
    }
}
