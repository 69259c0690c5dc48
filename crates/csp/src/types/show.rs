//! Types as annotations write them.

use super::{Checker, Type};

impl Checker<'_> {
    pub(super) fn show(&self, ty: &Type) -> String {
        let list = |items: &[Type]| items.iter().map(|t| self.show(t)).collect::<Vec<_>>().join(", ");
        match self.resolve(ty) {
            Type::Var(v) => format!("t{v}"),
            Type::Int => "Int".into(),
            Type::Bool => "Bool".into(),
            Type::Char => "Char".into(),
            Type::Proc => "Proc".into(),
            Type::Event => "Event".into(),
            Type::Data(name) => self.name(name),
            Type::Set(a) => format!("{{{}}}", self.show(&a)),
            Type::Seq(a) => format!("<{}>", self.show(&a)),
            Type::Map(k, v) => format!("(| {} => {} |)", self.show(&k), self.show(&v)),
            Type::Tuple(items) => format!("({})", list(&items)),
            Type::Function(args, to) => format!("({}) -> {}", list(&args), self.show(&to)),
            Type::Dot(a, b) => format!("{}.{}", self.show(&a), self.show(&b)),
            Type::Dotable(a, b) => format!("{} => {}", self.show(&a), self.show(&b)),
        }
    }
}
