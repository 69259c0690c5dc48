//! The death of the program.

use super::Failure;
use crate::{Cause, Death};

impl Failure for Death {
    fn rule(&self) -> &'static str {
        "crash"
    }

    fn pcs(&self) -> Vec<u64> {
        self.fault.iter().map(|fault| fault.pc).collect()
    }

    fn cause(&self) -> Option<Cause> {
        Some(self.cause)
    }
}
