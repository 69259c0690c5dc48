//! The top level of a script: every declaration becomes a name whose value waits until it is needed.

use super::value::{Thunk, ThunkState};
use super::*;
use crate::machine::event::Event;
use crate::machine::term::Term;
use crate::syntax::*;

impl Evaluator {
    /// Declares everything; evaluates nothing.
    pub fn load(&mut self, decls: &[Decl]) {
        // Constructors first: patterns in functions must know them.
        for decl in decls {
            self.load_constructors(decl);
        }
        for decl in decls {
            self.load_names(decl);
        }
    }

    fn load_constructors(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Channel(names, of) => {
                for (name, _) in names {
                    self.add_constructor(*name, true, of.clone());
                    self.channels.push(*name);
                }
            }
            DeclKind::Datatype(name, constructors) => {
                for c in constructors {
                    self.add_constructor(c.name, false, c.of.clone());
                }
                self.datatypes.insert(*name, Rc::new(constructors.iter().map(|c| c.name).collect()));
            }
            DeclKind::Subtype(name, constructors) => {
                self.subtypes.insert(*name, constructors.iter().map(|c| (c.name, c.of.clone())).collect());
            }
            _ => {}
        }
    }

    fn add_constructor(&mut self, name: Symbol, channel: bool, of: Option<Expr>) {
        self.constructors.insert(name, Shape { channel, of, fields: None });
        self.globals.insert(name, Thunk::ready(Value::atom(name)));
    }

    fn load_names(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Function(name, clauses) => {
                let thunk = self.function(*name, clauses, &None);
                self.globals.insert(*name, thunk);
            }
            DeclKind::Pattern(pat, e) => {
                let thunks = self.pattern_thunks(pat, Thunk::waiting(e, &None));
                self.globals.extend(thunks);
            }
            DeclKind::Datatype(name, _) | DeclKind::Subtype(name, _) => {
                self.globals.insert(*name, Thunk::new(ThunkState::Datatype(*name)));
            }
            DeclKind::Nametype(name, e) => {
                self.globals.insert(*name, Thunk::new(ThunkState::Nametype(e.clone())));
            }
            _ => {}
        }
    }

    /// Makes a native process known under a name.
    pub fn add_native(&mut self, name: Symbol, native: Arc<dyn Native>) {
        let mut state = vec![0; native.words()];
        native.initial(&mut state);
        let id = self.natives.len() as u32;
        self.natives.push(native);
        let term = self.terms.add(Term::Native(id, state.into()));
        self.globals.insert(name, Thunk::ready(Value::Proc(term)));
    }

    /// The event a text such as `lock.0.1` names.
    pub fn event_named(&mut self, text: &str) -> Eval<Event> {
        let mut value: Option<Value> = None;
        for part in text.split('.') {
            let part = self.atom_named(part.trim())?;
            value = Some(match value {
                Some(so_far) => self.combine(so_far, part, Span::default())?,
                None => part,
            });
        }
        match value {
            Some(value) => self.event(&value, Span::default()),
            None => error(Span::default(), "an event needs a name"),
        }
    }

    fn atom_named(&mut self, text: &str) -> Eval<Value> {
        if let Ok(n) = text.parse() {
            return Ok(Value::Int(n));
        }
        if let "true" | "false" = text {
            return Ok(Value::Bool(text == "true"));
        }
        let symbol = self.symbols.intern(text);
        match self.globals.get(&symbol).cloned() {
            Some(thunk) => self.force(&thunk, Span::default()),
            None => error_hint(Span::default(), format!("{text} is not defined"), "declare the channel or constructor"),
        }
    }
}
