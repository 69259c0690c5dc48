//! What a kind of error is to a report.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

use super::Finding;

/// What is known of a kind of error.
pub trait ErrorKind: Sync {
    /// Its rule in machine-readable forms: `data-race`.
    fn rule(&self) -> &'static str;

    /// What the rule says.
    fn about(&self) -> &'static str;

    /// What a finding of it is called.
    fn title(&self, finding: &Finding) -> String;

    /// What is said in ThreadSanitizer's form.
    fn in_tsan(&self) -> &'static str {
        self.rule()
    }

    /// Sites after the first are earlier accesses.
    fn has_earlier_sites(&self) -> bool {
        false
    }

    /// What may help, if the places are known.
    fn help(&self, _: &Finding) -> Option<String> {
        None
    }

    /// Does a suppression of this type (`race`, `deadlock`, …), whose pattern `matches` a text or not, hide the finding?
    fn hides(&self, _type: &str, _matches: &dyn Fn(&str) -> bool, _: &Finding) -> bool {
        false
    }
}

/// A kind of error.
#[derive(Clone, Copy)]
pub struct Kind(pub &'static dyn ErrorKind);

impl Kind {
    /// Its rule in machine-readable forms.
    pub fn rule(self) -> &'static str {
        self.0.rule()
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.rule() == other.rule()
    }
}

impl Eq for Kind {}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rule().cmp(other.rule())
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.rule())
    }
}

/// Only the kinds that are listed can be read.
impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rule = String::deserialize(deserializer)?;
        Self::of_rule(&rule).ok_or_else(|| de::Error::custom(format!("there is no kind of error called `{rule}`")))
    }
}
