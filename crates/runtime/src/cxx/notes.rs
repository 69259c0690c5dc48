//! What is noted of a call.

/// The registers that carry arguments.
pub type Arguments = [usize; 6];

/// Notes the accesses of a call with these arguments, for the caller at an address.
pub type Note = unsafe fn(&Arguments, usize);
