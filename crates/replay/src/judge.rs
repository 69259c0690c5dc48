//! Whoever looks at the recording of a replay.

use foretrace_run::SeenViolation;
use std::fmt;
use std::path::Path;

/// What a replay is judged by: a function from the directory of its recording to the properties that it violated.
pub struct Judge<'a>(Box<dyn Fn(&Path) -> Vec<SeenViolation> + Sync + 'a>);

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
