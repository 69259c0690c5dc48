//! Which terms are worth a composition, and which are explored as one leaf.

use super::MAX_NESTING;
use crate::eval::Evaluator;
use crate::machine::term::{Term, TermId};

impl Evaluator {
    /// Whether a term has parts that run side by side where rules can see them, and does not contain itself.
    pub(super) fn is_composite(&mut self, id: TermId) -> bool {
        let mut path = Vec::new();
        self.composite(id, &mut path, &mut 0).unwrap_or(false)
    }

    /// `None` if the term contains itself or is too large to tell.
    fn composite(&mut self, id: TermId, path: &mut Vec<TermId>, visited: &mut usize) -> Option<bool> {
        *visited += 1;
        if path.contains(&id) || *visited > 20_000 || path.len() > MAX_NESTING {
            return None;
        }
        path.push(id);
        let term = self.terms.get(id);
        let answer = match &*term {
            Term::Parallel(p, _, q) => self.any_composite(&[*p, *q], path, visited).map(|_| true),
            Term::Alphabetised(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|p| p.1).collect();
                self.any_composite(&parts, path, visited).map(|_| true)
            }
            Term::Native(..) | Term::Compress(..) => Some(true),
            Term::Hide(p, _) | Term::Rename(p, _) | Term::Prioritise(p, _) | Term::Chase(p) | Term::Determined(p) => {
                self.composite(*p, path, visited)
            }
            Term::Sequential(p, q) | Term::Sliding(p, q) | Term::Exception(p, _, q) => match self.now(*q) {
                Ok(q) => self.any_composite(&[*p, q], path, visited),
                Err(_) => None,
            },
            Term::Interrupt(p, q) => self.any_composite(&[*p, *q], path, visited),
            Term::External(parts) => self.any_composite(parts, path, visited),
            Term::Internal(parts) => {
                let now: Option<Vec<TermId>> = parts.iter().map(|&n| self.now(n).ok()).collect();
                now.and_then(|parts| self.any_composite(&parts, path, visited))
            }
            _ => Some(false),
        };
        path.pop();
        answer
    }

    fn any_composite(&mut self, parts: &[TermId], path: &mut Vec<TermId>, visited: &mut usize) -> Option<bool> {
        let mut any = false;
        for &part in parts {
            any |= self.composite(part, path, visited)?;
        }
        Some(any)
    }
}
