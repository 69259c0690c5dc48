//! Names: bound to definitions and arguments, and evaluated when first needed.
use super::env::{Env, Origin, Slot};
use super::expander::Expander;
use crate::core::{Core, CoreDef, CoreRef, Shape, VarId};
use crate::graph::{Node, NodeId, NodeName};
use crate::source::{Diagnostic, Result, Span};
use crate::types::Checked;
use crate::value::{Fields, Value};
use std::rc::Rc;

impl Expander {
    /// Evaluates streams that no output needs, so that errors in them are found too.
    pub fn force_user_streams(&mut self, checked: &Checked) -> Result<()> {
        let root = self.root.clone();
        let user = checked.defs.iter().map(|def| def.span.file).max().unwrap_or(0);
        for def in checked.defs.iter().filter(|def| def.shape.is_stream() && def.span.file == user) {
            self.force(def.var, &root, def.span)?;
        }
        Ok(())
    }

    /// Binds definitions, which may use each other.
    pub fn define(&mut self, env: &Rc<Env>, defs: &[CoreDef]) {
        for def in defs {
            let origin = Origin { name: def.name.clone(), span: def.span, shape: def.shape.clone() };
            let value = self.parts_of(env, def);
            env.slots.borrow_mut().insert(def.var, Slot::Thunk(value, env.clone(), Some(origin)));
        }
    }

    /// A tuple or record that is written out is a definition for each part, so that the parts may use each other.
    fn parts_of(&mut self, env: &Rc<Env>, def: &CoreDef) -> CoreRef {
        let (Core::Fields(names, items), Shape::Fields(_, shapes)) = (&*def.value, &def.shape) else {
            return def.value.clone();
        };
        let mut parts = Vec::new();
        for (item, shape) in items.iter().zip(shapes) {
            self.next_part -= 1;
            let origin = Origin { name: def.name.clone(), span: def.span, shape: shape.clone() };
            env.slots.borrow_mut().insert(self.next_part, Slot::Thunk(item.clone(), env.clone(), Some(origin)));
            parts.push(Rc::new(Core::Var(self.next_part)));
        }
        Rc::new(Core::Fields(names.clone(), parts))
    }

    /// The part of a tuple or record that is not evaluated yet, or is just being evaluated.
    pub fn part_of(&self, var: VarId, env: &Rc<Env>, index: usize) -> Option<(VarId, Rc<Env>)> {
        let owner = env.owner(var);
        let slots = owner.slots.borrow();
        let (Slot::Thunk(core, ..) | Slot::Busy(core, ..)) = slots.get(&var)? else { return None };
        let Core::Fields(_, items) = &**core else { return None };
        match &*items[index] {
            Core::Var(part) if *part >= self.next_part => Some((*part, owner.clone())),
            _ => None,
        }
    }

    /// Binds a parameter to an argument that is evaluated when needed.
    pub fn bind_lazy(&mut self, env: &Rc<Env>, var: VarId, arg: &CoreRef, arg_env: &Rc<Env>) {
        env.slots.borrow_mut().insert(var, Slot::Thunk(arg.clone(), arg_env.clone(), None));
    }

    pub fn bind(&mut self, env: &Rc<Env>, var: VarId, value: Value) {
        env.slots.borrow_mut().insert(var, Slot::Done(value));
    }

    /// What a name stands for, evaluating it if that has not been done.
    pub fn force(&mut self, var: VarId, env: &Rc<Env>, span: Span) -> Result<Value> {
        let owner = env.owner(var);
        let slot = owner.slots.borrow().get(&var).cloned();
        match slot.expect("every name is bound") {
            Slot::Done(value) => Ok(value),
            Slot::Busy(core, origin, value) => self.recursive_use(&owner, var, (core, origin, value), span),
            Slot::Thunk(core, core_env, origin) => {
                owner.slots.borrow_mut().insert(var, Slot::Busy(core.clone(), origin.clone(), None));
                let value = self.eval(&core, &core_env)?;
                self.complete(&owner, var, origin, value)
            }
        }
    }

    fn recursive_use(
        &mut self,
        owner: &Rc<Env>,
        var: VarId,
        (core, origin, value): (CoreRef, Option<Origin>, Option<Value>),
        span: Span,
    ) -> Result<Value> {
        if let Some(value) = value {
            return Ok(value);
        }
        if let Some(value) = origin.as_ref().and_then(|origin| self.stand_in(&origin.shape)) {
            owner.slots.borrow_mut().insert(var, Slot::Busy(core, origin, Some(value.clone())));
            return Ok(value);
        }
        match origin {
            Some(origin) => Err(Diagnostic::new(format!("`{}` is defined by itself", origin.name), origin.span)
                .hint("only streams and functions can be recursive")),
            None => Err(Diagnostic::new("this argument depends on itself", span)),
        }
    }

    /// Streams that will be known later, in the shape of a definition; nothing if any part of it is not a stream.
    fn stand_in(&mut self, shape: &Shape) -> Option<Value> {
        match shape {
            Shape::Value => None,
            Shape::Stream => Some(Value::Stream(self.graph.add(Node::Pending))),
            Shape::Fields(names, shapes) => {
                let items = shapes.iter().map(|shape| self.stand_in(shape)).collect::<Option<Vec<_>>>()?;
                Some(Value::Fields(Rc::new(Fields { names: names.clone(), items: items.into() })))
            }
        }
    }

    /// Connects the placeholder of a definition with its value.
    fn settle(&mut self, stand_in: &Value, value: &Value, origin: Option<&Origin>) {
        match (stand_in, value) {
            (Value::Stream(pending), Value::Stream(node)) => {
                self.graph.nodes[*pending as usize] = Node::Alias(*node);
                self.name(*pending, origin);
            }
            (Value::Fields(pending), Value::Fields(fields)) => {
                for (pending, value) in pending.items.iter().zip(fields.items.iter()) {
                    self.settle(pending, value, origin);
                }
            }
            _ => {}
        }
    }

    fn complete(&mut self, owner: &Rc<Env>, var: VarId, origin: Option<Origin>, value: Value) -> Result<Value> {
        let before = owner.slots.borrow_mut().insert(var, Slot::Done(value.clone()));
        if let Some(Slot::Busy(_, _, Some(stand_in))) = before {
            self.settle(&stand_in, &value, origin.as_ref());
        }
        if let Value::Stream(node) = &value {
            self.name(*node, origin.as_ref());
        }
        Ok(value)
    }

    /// Remembers which definition a stream came from; the outermost text wins, then the first.
    fn name(&mut self, node: NodeId, origin: Option<&Origin>) {
        let Some(origin) = origin else { return };
        let slot = &mut self.graph.names[node as usize];
        if slot.as_ref().is_none_or(|old| old.span.file < origin.span.file) {
            *slot = Some(NodeName { name: origin.name.clone(), span: origin.span });
        }
    }
}
