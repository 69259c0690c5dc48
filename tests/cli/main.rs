//! The command line tool, run as its users run it: in a scratch directory, with real compilers.

#![forbid(unsafe_code)]

mod book;
mod build_systems;
mod bystanders;
mod check;
mod debug_files;
mod ends;
mod hostile;
mod interrupt;
mod limits;
mod names;
mod pictures;
mod record;
mod refusals;
mod replay;
mod report;
mod stops;
mod support;
mod symbolic;
mod symbols;
mod trace;
mod why;
mod words;
mod wrapper;
