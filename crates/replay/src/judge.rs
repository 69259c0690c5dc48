//! Whoever looks at the recording of a replay.

use foretrace_run::SeenViolation;
use std::fmt;
use std::path::Path;

/// From the directory of a recording to the properties that the run violated.
type Verdict<'a> = dyn Fn(&Path) -> Vec<SeenViolation> + Sync + 'a;

/// What a replay is judged by.
pub struct Judge<'a>(Box<Verdict<'a>>);

impl<'a> Judge<'a> {
    /// A judge.
    pub fn new(judge: impl Fn(&Path) -> Vec<SeenViolation> + Sync + 'a) -> Self {
        Self(Box::new(judge))
    }

    /// What the run violated whose recording lies here.
    pub fn violations(&self, directory: &Path) -> Vec<SeenViolation> {
        (self.0)(directory)
    }
}

impl fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
