//! Matching values against patterns. A plain name takes a thunk as it is; every other pattern forces it.

use super::value::Thunk;
use super::*;
use crate::syntax::*;

type Bound = Vec<(Symbol, Thunk)>;

impl Evaluator {
    pub fn matches(&mut self, pat: &Pat, thunk: &Thunk, bound: &mut Bound) -> Eval<bool> {
        match &pat.kind {
            PatKind::Wildcard => Ok(true),
            PatKind::Name(name) if !self.constructors.contains_key(name) => {
                bound.push((*name, thunk.clone()));
                Ok(true)
            }
            PatKind::Both(a, b) => Ok(self.matches(a, thunk, bound)? && self.matches(b, thunk, bound)?),
            PatKind::Tuple(pats) if let Some(parts) = written_tuple(thunk).filter(|t| t.len() == pats.len()) => {
                for (pat, part) in pats.iter().zip(&parts) {
                    if !self.matches(pat, part, bound)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                let value = self.force(thunk, pat.span)?;
                self.matches_value(pat, &value, bound)
            }
        }
    }

    pub fn matches_value(&mut self, pat: &Pat, value: &Value, bound: &mut Bound) -> Eval<bool> {
        match (&pat.kind, value) {
            (PatKind::Wildcard, _) => Ok(true),
            (PatKind::Name(name), _) if !self.constructors.contains_key(name) => {
                bound.push((*name, Thunk::ready(value.clone())));
                Ok(true)
            }
            (PatKind::Name(name), Value::Data(found, fields)) => Ok(name == found && fields.is_empty()),
            (PatKind::Int(a), Value::Int(b)) => Ok(a == b),
            (PatKind::Char(a), Value::Char(b)) => Ok(a == b),
            (PatKind::Bool(a), Value::Bool(b)) => Ok(a == b),
            (PatKind::Tuple(pats), Value::Tuple(items)) => {
                Ok(pats.len() == items.len() && self.all_match(pats, items, bound)?)
            }
            (PatKind::Seq(pats), Value::Seq(seq)) => self.sequence_matches(pats, seq, bound, pat.span),
            (PatKind::Concat(..), Value::Seq(_)) => self.concat_matches(pat, value, bound),
            (PatKind::EmptySet, Value::Set(Set::Finite(items))) => Ok(items.is_empty()),
            (PatKind::Singleton(p), Value::Set(Set::Finite(items))) => {
                Ok(items.len() == 1 && self.matches_value(p, &items[0], bound)?)
            }
            (PatKind::Dot(..), _) => self.dot_matches(pat, value, bound),
            (PatKind::Both(a, b), _) => {
                Ok(self.matches_value(a, value, bound)? && self.matches_value(b, value, bound)?)
            }
            _ => Ok(false),
        }
    }

    fn all_match(&mut self, pats: &[Pat], values: &[Value], bound: &mut Bound) -> Eval<bool> {
        for (pat, value) in pats.iter().zip(values) {
            if !self.matches_value(pat, value, bound)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks only at as many elements as the pattern has, so that endless sequences can be matched.
    fn sequence_matches(&mut self, pats: &[Pat], seq: &Seq, bound: &mut Bound, span: Span) -> Eval<bool> {
        let mut rest = seq.clone();
        for pat in pats {
            let Some((head, tail)) = self.uncons(&rest, span)? else { return Ok(false) };
            if !self.matches_value(pat, &head, bound)? {
                return Ok(false);
            }
            rest = tail;
        }
        Ok(self.uncons(&rest, span)?.is_none())
    }

    fn concat_matches(&mut self, pat: &Pat, value: &Value, bound: &mut Bound) -> Eval<bool> {
        let mut parts = Vec::new();
        flatten_concat(pat, &mut parts);
        let Value::Seq(seq) = value else { return Ok(false) };
        let mut rest = seq.clone();
        let fixed = |p: &Pat| matches!(p.kind, PatKind::Seq(_));
        let variable = parts.iter().position(|p| !fixed(p)).unwrap_or(parts.len());
        for part in &parts[..variable] {
            let PatKind::Seq(pats) = &part.kind else { continue };
            for p in pats {
                let Some((head, tail)) = self.uncons(&rest, pat.span)? else { return Ok(false) };
                if !self.matches_value(p, &head, bound)? {
                    return Ok(false);
                }
                rest = tail;
            }
        }
        if variable == parts.len() {
            return Ok(self.uncons(&rest, pat.span)?.is_none());
        }
        self.concat_tail(&parts[variable..], rest, bound, pat.span)
    }

    /// The part of unknown length, then the fixed parts after it.
    fn concat_tail(&mut self, parts: &[&Pat], rest: Seq, bound: &mut Bound, span: Span) -> Eval<bool> {
        if parts.len() == 1 {
            return self.matches_value(parts[0], &Value::Seq(rest), bound);
        }
        let elements = self.elements(&Value::Seq(rest), span)?;
        let tail: Vec<Pat> = parts[1..]
            .iter()
            .flat_map(|p| match &p.kind {
                PatKind::Seq(pats) => pats.clone(),
                _ => Vec::new(),
            })
            .collect();
        if elements.len() < tail.len() {
            return Ok(false);
        }
        let (middle, end) = elements.split_at(elements.len() - tail.len());
        Ok(self.matches_value(parts[0], &Seq::of(middle.to_vec()), bound)? && self.all_match(&tail, end, bound)?)
    }

    /// Matches dotted parts one field each; the last takes all that is left.
    fn dot_matches(&mut self, pat: &Pat, value: &Value, bound: &mut Bound) -> Eval<bool> {
        let mut pats = Vec::new();
        flatten_dots(pat, &mut pats);
        let values: Vec<Value> = match value {
            Value::Dot(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        Ok(self.match_parts(&pats, &values, bound)?.is_some_and(|left| left == 0))
    }

    /// Matches a run of dotted patterns against a run of values; answers how many values are left over.
    fn match_parts(&mut self, pats: &[&Pat], values: &[Value], bound: &mut Bound) -> Eval<Option<usize>> {
        let (Some((pat, pats)), Some((value, values))) = (pats.split_first(), values.split_first()) else {
            return Ok(pats.is_empty().then_some(values.len()));
        };
        if let (PatKind::Name(name), Value::Data(found, fields)) = (&pat.kind, value)
            && self.constructors.contains_key(name)
        {
            if name != found {
                return Ok(None);
            }
            let mut all = fields.to_vec();
            all.extend_from_slice(values);
            return if pats.is_empty() {
                Ok((all.is_empty()).then_some(0))
            } else {
                self.match_parts(pats, &all, bound)
            };
        }
        if pats.is_empty() && !values.is_empty() {
            let mut rest = vec![value.clone()];
            rest.extend_from_slice(values);
            let rest = rest.into_iter().reduce(|a, b| self.join(a, b)).expect("not empty");
            return Ok(self.matches_value(pat, &rest, bound)?.then_some(0));
        }
        if !self.matches_value(pat, value, bound)? {
            return Ok(None);
        }
        self.match_parts(pats, values, bound)
    }
}

/// The elements of a tuple that is written out and has not been evaluated, each to be evaluated when it is needed.
fn written_tuple(thunk: &Thunk) -> Option<Vec<Thunk>> {
    match &*thunk.0.borrow() {
        value::ThunkState::Waiting(expr, env) => match &*expr.kind {
            ExprKind::Tuple(items) => Some(items.iter().map(|e| Thunk::waiting(e, env)).collect()),
            _ => None,
        },
        _ => None,
    }
}

fn flatten_concat<'a>(pat: &'a Pat, out: &mut Vec<&'a Pat>) {
    match &pat.kind {
        PatKind::Concat(a, b) => {
            flatten_concat(a, out);
            flatten_concat(b, out);
        }
        _ => out.push(pat),
    }
}
