//! The library and the prelude of the 2018 dialect, written in TeSSLa.

/// The standard library of TeSSLa 1.2.
pub const LIBRARY: &str = include_str!("library.tessla");
/// What the language of the 2018 paper calls differently.
pub const PRELUDE_2018: &str = include_str!("prelude2018.tessla");
