//! How tightly each operator binds, from the loosest to the tightest. Hiding binds looser than parallel.

pub const LOOSEST: u8 = 0;
pub const BOTH: u8 = 1;
pub const HIDE: u8 = 2;
pub const INTERLEAVE: u8 = 3;
pub const PARALLEL: u8 = 4;
pub const INTERNAL: u8 = 5;
pub const EXTERNAL: u8 = 6;
pub const INTERRUPT: u8 = 7;
pub const SLIDING: u8 = 8;
pub const SEQUENTIAL: u8 = 9;
pub const PREFIX: u8 = 10;
pub const FIELD: u8 = 11;
pub const DOT: u8 = 13;
pub const OR: u8 = 15;
pub const AND: u8 = 16;
pub const NOT: u8 = 17;
pub const COMPARE: u8 = 18;
pub const ADD: u8 = 19;
pub const MULTIPLY: u8 = 20;
pub const LENGTH: u8 = 21;
pub const CONCAT: u8 = 22;
pub const APPLY: u8 = 23;
