//! The strategy of a search, with a scripted runner: what is run, in which order, and what is made of the answers.

mod certain;
mod ladder;
mod script;
mod values;
mod why;
