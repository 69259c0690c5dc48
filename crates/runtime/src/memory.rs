//! Memory of our own: where it comes from, and what is kept in it. Nothing here knows of threads.

pub mod arena;
pub mod fork;
pub mod lasting;
pub mod map;
pub mod pages;
pub mod spin;
