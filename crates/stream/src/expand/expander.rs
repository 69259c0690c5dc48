//! The state of an expansion.
use super::env::{Closure, Env};
use super::generated::GenState;
use crate::core::{Lambda, VarId};
use crate::graph::{Graph, Node};
use crate::types::Checked;
use crate::value::{Function, MacroId, Value};
use std::rc::Rc;

pub struct Expander {
    pub graph: Graph,
    pub root: Rc<Env>,
    pub generated: GenState,
    /// How many macro calls are nested at the moment.
    pub depth: usize,
    /// Steps taken so far.
    pub steps: usize,
    /// Names of the parts of tuples and records, counted downwards.
    pub next_part: VarId,
    /// Every macro made: what [`Function::Macro`] numbers.
    closures: Vec<Closure>,
    /// Every environment made, so that the cycles among them can be cut at the end.
    envs: Vec<Rc<Env>>,
}

impl Expander {
    pub fn new(checked: &Checked) -> Self {
        let root = Env::new(None);
        let mut graph = Graph { inputs: checked.inputs.clone(), ..Graph::default() };
        for index in 0..checked.inputs.len() {
            graph.add(Node::Input(index as u32));
        }
        Expander {
            graph,
            root: root.clone(),
            generated: GenState::default(),
            depth: 0,
            steps: 0,
            next_part: VarId::MAX,
            closures: Vec::new(),
            envs: vec![root],
        }
    }

    pub fn finish(mut self) -> Graph {
        self.generated.finish(&mut self.graph);
        std::mem::take(&mut self.graph)
    }

    pub fn new_env(&mut self, parent: &Rc<Env>) -> Rc<Env> {
        let env = Env::new(Some(parent.clone()));
        self.envs.push(env.clone());
        env
    }

    /// A macro as a value.
    pub fn new_macro(&mut self, lambda: &Rc<Lambda>, env: &Rc<Env>) -> Value {
        self.closures.push(Closure { lambda: lambda.clone(), env: env.clone() });
        Value::Fun(Rc::new(Function::Macro(MacroId(self.closures.len() as u32 - 1))))
    }

    pub fn macro_of(&self, id: MacroId) -> Closure {
        self.closures[id.0 as usize].clone()
    }
}

impl Drop for Expander {
    /// Cuts the cycles among environments, and their chains, which may be longer than the stack.
    fn drop(&mut self) {
        for env in &self.envs {
            env.slots.borrow_mut().clear();
        }
    }
}
