//! A product as it grows: components, and nodes with their rules.

use crate::machine::event::Event;
use crate::machine::product::{Component, Filter, Product};
use crate::machine::rules::{Comp, Node, Rule, Side};
use std::rc::Rc;

/// A product under construction.
#[derive(Default)]
pub struct Builder {
    pub comps: Vec<Component>,
    pub nodes: Vec<Node>,
    /// Restrictions that the search applies in each state.
    pub inner: Vec<Filter>,
    /// The compositions that compressed parts were made from, by node.
    pub origins: Vec<(usize, Rc<Product>)>,
}

impl Builder {
    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    pub fn side(&self, node: usize, index: u32) -> Side<'_> {
        Side { index, rules: &self.nodes[node].rules }
    }

    pub fn add(
        &mut self,
        label: String,
        children: Vec<usize>,
        rules: Vec<Rule>,
        active: Vec<Comp>,
        from: Comp,
    ) -> usize {
        let comps = from..self.comps.len() as Comp;
        self.nodes.push(Node { label, children, comps, rules, active });
        self.nodes.len() - 1
    }

    /// Adds a component, and a node for it.
    pub fn leaf(&mut self, label: String, component: Component) -> usize {
        let comp = self.comps.len() as Comp;
        let events = component.events();
        self.comps.push(component);
        let rule = |e: Event| Rule { result: e, moves: vec![(comp, e)], sets: Vec::new(), from: Vec::new() };
        let rules = events.into_iter().map(rule).collect();
        self.add(label, Vec::new(), rules, vec![comp], comp)
    }
}
