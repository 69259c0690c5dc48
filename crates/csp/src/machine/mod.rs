//! Processes as machines: terms and their steps, explicit machines for leaves, products of leaves explored on the fly.

pub mod component;
pub mod event;
pub mod field;
pub mod filter;
pub mod flat_rule;
pub mod inner;
pub mod lts;
pub mod packed;
pub mod plan;
pub mod product;
pub mod rules;
pub mod term;

pub use event::{Event, EventSet, Events, TAU, TICK};
pub use lts::Lts;
pub use product::Product;
