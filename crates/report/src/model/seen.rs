//! Values that the failure hangs on.

use super::Frame;
use serde::{Deserialize, Serialize};

/// A value that a thread read, and on which it depends that the check failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// The name of the thread.
    pub thread: String,
    /// The variable, if it has a name.
    pub name: Option<String>,
    /// Its address.
    pub address: u64,
    /// The value, as an unsigned number.
    pub value: u64,
    /// Where it was read.
    pub place: Option<Frame>,
    /// Who had written it; none if nobody had in that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
}

/// A write.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    /// The name of the thread.
    pub thread: String,
    /// Where.
    pub place: Option<Frame>,
}
