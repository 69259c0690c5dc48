//! Types as annotations write them.

use super::{Checker, Type};

/// Parts nested deeper than this are left out: a type can be exponentially longer than what has it.
const DEPTH: usize = 8;

impl Checker<'_> {
    pub(super) fn show(&self, ty: &Type) -> String {
        self.show_within(ty, DEPTH)
    }

    fn show_within(&self, ty: &Type, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "...".into() };
        let one = |t: &Type| self.show_within(t, depth);
        let list = |items: &[Type]| items.iter().map(one).collect::<Vec<_>>().join(", ");
        match self.resolve(ty) {
            // Any type.
            Type::Var(_) => "_".into(),
            Type::Int => "Int".into(),
            Type::Bool => "Bool".into(),
            Type::Char => "Char".into(),
            Type::Proc => "Proc".into(),
            Type::Event => "Event".into(),
            Type::Data(name) | Type::Rigid(name, _) => self.name(name),
            Type::Set(a) => format!("{{{}}}", one(&a)),
            Type::Seq(a) => format!("<{}>", one(&a)),
            Type::Map(k, v) => format!("(| {} => {} |)", one(&k), one(&v)),
            Type::Tuple(items) => format!("({})", list(&items)),
            Type::Function(args, to) => format!("({}) -> {}", list(&args), one(&to)),
            Type::Dot(a, b) => format!("{}.{}", one(&a), one(&b)),
            Type::Dotable(a, b) => format!("{} => {}", one(&a), one(&b)),
        }
    }
}
