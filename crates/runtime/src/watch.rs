//! The watch: what is checked. Two detectors of data races with one meaning ([`segment`] and [`race`]), deaths of the program
//! ([`fault`]), and what memory and libraries are about.

pub mod benign;
pub mod blocks;
pub mod fault;
pub mod horizon;
#[cfg(test)]
pub mod naive;
pub mod names;
pub mod race;
pub mod segment;
pub mod shadow;
pub mod unseen;
