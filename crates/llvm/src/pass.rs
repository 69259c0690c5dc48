//! Passes, and how they are run.

use crate::debug::Place;
use crate::module::Module;
use std::fmt;

/// What a build loses without a pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Purpose {
    /// Speed: the build may fall back to the compiler alone. The pass runs over the optimised and instrumented text.
    Speed,
    /// Events that the user asked for: a build without them must fail. The pass runs over the text before optimisation,
    /// which still contains every call, branch and access of the source.
    Meaning,
    /// Expressions of values that the user asked for: a build without them must fail. The pass runs at every level over
    /// the instrumented text, so that the expressions are those of what the program really computes.
    Values,
}

/// A step from module to module.
pub trait Pass {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// What a build loses without it.
    fn purpose(&self) -> Purpose;

    /// Does it also gain something in builds that are not optimised?
    fn runs_at_every_level(&self) -> bool {
        self.purpose() == Purpose::Meaning
    }

    /// Rewrites the module, and returns whether it changed anything. A pass for speed skips what it does not
    /// understand; a pass for meaning refuses it.
    fn run(&self, module: &mut Module<'_>) -> Result<bool, Refusal>;
}

/// A function that a pass for meaning cannot rewrite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The function, by its source name if that is known.
    pub function: String,
    /// `file:line` of the function, if known.
    pub place: Option<String>,
    /// What is not understood.
    pub reason: String,
}

impl Refusal {
    /// A refusal of the function with this debug information.
    pub fn new(symbol: &str, place: Option<Place<'_>>, reason: impl Into<String>) -> Self {
        let function = place.as_ref().map_or(symbol, |place| place.function).to_owned();
        let place = place.map(|place| format!("{}:{}", place.file, place.line));
        Self { function, place, reason: reason.into() }
    }
}

/// The passes of a build could not be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The pass that refused.
    pub pass: &'static str,
    /// What it refused.
    pub refusal: Refusal,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { function, place, reason } = &self.refusal;
        write!(f, "the pass `{}` cannot instrument `{function}`", self.pass)?;
        if let Some(place) = place {
            write!(f, " ({place})")?;
        }
        write!(f, ": {reason}")
    }
}

impl std::error::Error for Failure {}

/// Runs passes over a module, and returns its new text; `None` if none of them changed it.
pub fn run(text: &str, passes: &[&dyn Pass]) -> Result<Option<String>, Failure> {
    let mut module = Module::parse(text);
    let mut changed = false;
    for pass in passes {
        match pass.run(&mut module) {
            Ok(did) => changed |= did,
            Err(_) if pass.purpose() == Purpose::Speed => {}
            Err(refusal) => return Err(Failure { pass: pass.name(), refusal }),
        }
    }
    Ok(changed.then(|| module.to_text()))
}
