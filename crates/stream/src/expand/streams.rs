//! Stream operators become nodes of the graph.
use super::env::Env;
use super::expander::Expander;
use crate::core::CoreRef;
use crate::graph::{LiftKind, Node, NodeId};
use crate::source::{Diagnostic, Result, Span};
use crate::value::{Builtin, Value};
use std::rc::Rc;

/// An argument of a lifted function.
pub enum LiftArg {
    Stream(NodeId),
    /// The same at every event.
    Value(Value),
}

impl Expander {
    /// A stream with one event at time zero.
    pub fn constant(&mut self, value: Value) -> Value {
        match value {
            Value::Stream(_) => value,
            value => Value::Stream(self.graph.add(Node::Const(value))),
        }
    }

    pub fn stream_op(&mut self, op: Builtin, args: &[CoreRef], env: &Rc<Env>, span: Span) -> Result<Value> {
        let node = match op {
            Builtin::Nil => Node::Nil,
            Builtin::Default => {
                let value = self.eval(&args[1], env)?;
                match self.stream(&args[0], env, span)? {
                    stream if matches!(self.graph.nodes[stream as usize], Node::Nil) => Node::Const(value),
                    stream => Node::Default(stream, value),
                }
            }
            Builtin::Time => Node::Time(self.stream(&args[0], env, span)?),
            Builtin::DefaultFrom => self.binary(Node::DefaultFrom, args, env, span)?,
            Builtin::Last => self.binary(Node::Last, args, env, span)?,
            Builtin::Delay => self.binary(Node::Delay, args, env, span)?,
            Builtin::Merge => Node::Merge(self.streams(args, env, span)?),
            Builtin::Lift => return self.lift_op(LiftKind::Events, args, env, span),
            Builtin::SLift => return self.lift_op(LiftKind::Signal, args, env, span),
            Builtin::SLiftOption => return self.lift_op(LiftKind::SignalFilter, args, env, span),
            other => unreachable!("`{}` is not an operator on streams", other.name()),
        };
        Ok(Value::Stream(self.graph.add(node)))
    }

    fn binary(
        &mut self,
        make: fn(NodeId, NodeId) -> Node,
        args: &[CoreRef],
        env: &Rc<Env>,
        span: Span,
    ) -> Result<Node> {
        let (first, second) = (self.stream(&args[0], env, span)?, self.stream(&args[1], env, span)?);
        Ok(make(first, second))
    }

    fn streams(&mut self, args: &[CoreRef], env: &Rc<Env>, span: Span) -> Result<Vec<NodeId>> {
        args.iter().map(|arg| self.stream(arg, env, span)).collect()
    }

    /// `lift(s1, …, sn, f)` in its three forms.
    fn lift_op(&mut self, kind: LiftKind, args: &[CoreRef], env: &Rc<Env>, span: Span) -> Result<Value> {
        let Some((function, streams)) = args.split_last() else { unreachable!("a lift has a function") };
        let function = self.eval(function, env)?;
        let streams = self.streams(streams, env, span)?.into_iter().map(LiftArg::Stream).collect();
        self.lift(kind, &function, streams, span)
    }

    /// A function on values that is applied to streams directly.
    pub fn signal_lift(
        &mut self,
        function: &Value,
        args: &[(bool, CoreRef)],
        env: &Rc<Env>,
        span: Span,
    ) -> Result<Value> {
        let mut lifted = Vec::new();
        for (is_stream, arg) in args {
            lifted.push(match self.eval(arg, env)? {
                Value::Stream(node) if *is_stream => LiftArg::Stream(node),
                value => LiftArg::Value(value),
            });
        }
        self.lift(LiftKind::Signal, function, lifted, span)
    }

    fn lift(&mut self, kind: LiftKind, function: &Value, mut args: Vec<LiftArg>, span: Span) -> Result<Value> {
        if kind != LiftKind::Events {
            self.fix_constants(&mut args);
        }
        let streams: Vec<NodeId> = args
            .iter()
            .filter_map(|arg| match arg {
                LiftArg::Stream(node) => Some(*node),
                LiftArg::Value(_) => None,
            })
            .collect();
        let func = self.generate(kind, function, args, span)?;
        if streams.len() > 64 {
            return Err(Diagnostic::new("a function is lifted over more than 64 streams", span));
        }
        Ok(Value::Stream(self.graph.add(Node::Lift { kind, func, args: streams })))
    }

    /// With signal semantics a constant stream beside another stream is just its value: it has its only
    /// event at time zero, and before the other streams have one there is no result.
    fn fix_constants(&self, args: &mut [LiftArg]) {
        let is_const = |arg: &LiftArg| matches!(arg, LiftArg::Stream(n) if matches!(self.graph.nodes[*n as usize], Node::Const(_)));
        let others = args.iter().any(|arg| matches!(arg, LiftArg::Stream(_)) && !is_const(arg));
        for arg in args.iter_mut().filter(|arg| others && is_const(arg)) {
            let LiftArg::Stream(node) = arg else { unreachable!("it is a constant stream") };
            if let Node::Const(value) = &self.graph.nodes[*node as usize] {
                *arg = LiftArg::Value(value.clone());
            }
        }
    }
}
