//! The order in which declarations are checked: what is used before what uses it, and what uses each other together.

use crate::syntax::names::{declared_names, names_used};
use crate::syntax::*;
use rustc_hash::FxHashMap;

/// The declarations in groups that depend on each other, each group after those it uses.
pub(super) fn groups(decls: &[Decl]) -> Vec<Vec<usize>> {
    let mut home: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (i, decl) in decls.iter().enumerate() {
        home.extend(declared_names(decl).into_iter().map(|(n, _)| (n, i)));
    }
    let uses: Vec<Vec<usize>> = decls
        .iter()
        .enumerate()
        .map(|(i, d)| {
            let mut used: Vec<usize> =
                names_used(d).iter().filter_map(|n| home.get(n).copied()).filter(|&j| j != i).collect();
            used.dedup();
            used
        })
        .collect();
    let mut order = Components {
        uses: &uses,
        index: vec![None; decls.len()],
        low: vec![0; decls.len()],
        done: vec![false; decls.len()],
        stack: Vec::new(),
        next: 0,
        out: Vec::new(),
    };
    for i in 0..decls.len() {
        if order.index[i].is_none() {
            order.visit(i);
        }
    }
    order.out
}

/// Tarjan's algorithm; recursion is as deep as definitions are nested in each other.
struct Components<'a> {
    uses: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    done: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    out: Vec<Vec<usize>>,
}

impl Components<'_> {
    fn visit(&mut self, v: usize) {
        self.index[v] = Some(self.next);
        self.low[v] = self.next;
        self.next += 1;
        self.stack.push(v);
        for &w in &self.uses[v] {
            match self.index[w] {
                None => {
                    self.visit(w);
                    self.low[v] = self.low[v].min(self.low[w]);
                }
                Some(at) if !self.done[w] => self.low[v] = self.low[v].min(at),
                Some(_) => {}
            }
        }
        if Some(self.low[v]) == self.index[v] {
            let mut group = Vec::new();
            while let Some(w) = self.stack.pop() {
                self.done[w] = true;
                group.push(w);
                if w == v {
                    break;
                }
            }
            group.sort_unstable();
            self.out.push(group);
        }
    }
}
