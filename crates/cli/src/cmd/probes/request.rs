//! What one annotation asks for.

use super::Form;
use anyhow::{Context, bail};
use foretrace_instrumentation::{Moment, What};
use foretrace_stream::ty::Ty;
use foretrace_stream::types::{InputDecl, Probe};

/// An event of an input.
pub struct Request {
    pub moment: Moment,
    pub what: What,
    pub target: String,
    /// The value, as an instrumentation specification writes it; none for events of type `Unit`.
    pub field: Option<String>,
    pub form: Form,
    /// The annotation and the input, for messages.
    pub asked: String,
}

/// What an annotation means: the moment, the kind of join-point, and which value it takes.
const MEANINGS: [(&str, Moment, What, Takes); 10] = [
    ("InstFunctionCall", Moment::Before, What::Call, Takes::Nothing),
    ("InstFunctionCallArg", Moment::Before, What::Call, Takes::Argument),
    ("InstFunctionCalled", Moment::Before, What::Body, Takes::Nothing),
    ("InstFunctionCalledArg", Moment::Before, What::Body, Takes::Argument),
    ("InstFunctionReturn", Moment::After, What::Body, Takes::Nothing),
    ("InstFunctionReturnValue", Moment::After, What::Body, Takes::Value("#return")),
    ("InstFunctionReturned", Moment::After, What::Call, Takes::Nothing),
    ("InstFunctionReturnedValue", Moment::After, What::Call, Takes::Value("#return")),
    ("GlobalRead", Moment::After, What::ReadGlobal, Takes::Value("#value")),
    ("GlobalWrite", Moment::After, What::WriteGlobal, Takes::Value("#value")),
];

/// Which value an annotation takes.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Argument,
    Value(&'static str),
}

/// What an annotation asks for; nothing if it is `@ThreadId`, which other annotations make events of.
pub fn request(decl: &InputDecl, probe: &Probe) -> anyhow::Result<Option<Request>> {
    let name = &*probe.name;
    if name == "ThreadId" {
        return Ok(None);
    }
    if name.starts_with("Local") {
        bail!("`@{name}`: accesses to local variables are not observed; only those to global variables are");
    }
    let Some((_, moment, what, takes)) = MEANINGS.into_iter().find(|(known, ..)| *known == name) else {
        bail!(
            "`@{name}`: the index of an access is not observed; `@{}` takes its value",
            name.trim_end_matches("Index")
        );
    };
    let parameter = if what.is_access() { "lvalue" } else { "name" };
    let literal = || format!("`@{name}`: the argument `{parameter}` must be written as a text, such as \"count\"");
    let target = probe.text(parameter).with_context(literal)?.trim().to_owned();
    if what.is_access() {
        check_variable(name, &target)?;
    }
    let form = form(decl, probe)?;
    let value = match takes {
        Takes::Nothing if form != Form::Unit => {
            let more = if name.contains("Return") { "Value" } else { "Arg" };
            bail!(
                "`@{name}` makes events of type Unit, and input `{}` is declared as Events[{}]; see `@{name}{more}`",
                decl.name,
                decl.ty
            );
        }
        Takes::Nothing => None,
        Takes::Argument => Some(format!("#{}", index(probe)?)),
        Takes::Value(value) => Some(value.to_owned()),
    };
    let field = value.filter(|_| form != Form::Unit);
    let field = if form == Form::Float { field.map(|field| format!("{field} as double")) } else { field };
    let asked = format!("`@{name}(\"{target}\")` of input `{}`", decl.name);
    Ok(Some(Request { moment, what, target, field, form, asked }))
}

/// What becomes of the number of a thread.
pub fn number(decl: &InputDecl, probe: &Probe) -> anyhow::Result<Form> {
    match form(decl, probe)? {
        form @ (Form::Unit | Form::Int) => Ok(form),
        _ => bail!("the number of a thread is of type Int, and input `{}` of type {}", decl.name, decl.ty),
    }
}

fn form(decl: &InputDecl, probe: &Probe) -> anyhow::Result<Form> {
    Ok(match decl.ty {
        Ty::Unit => Form::Unit,
        Ty::Int => Form::Int,
        Ty::Bool => Form::Bool,
        Ty::Float => Form::Float,
        _ => bail!(
            "`@{}` makes events of type Unit, Int, Bool or Float, and input `{}` is declared as Events[{}]",
            probe.name,
            decl.name,
            decl.ty
        ),
    })
}

fn index(probe: &Probe) -> anyhow::Result<u32> {
    let number = probe.number("index").and_then(|number| u32::try_from(number).ok());
    number.with_context(|| {
        format!("`@{}`: the argument `index` must be written as a number; the first argument is 0", probe.name)
    })
}

/// Patterns of TeSSLa that name anything but a variable or a member of one.
fn check_variable(name: &str, target: &str) -> anyhow::Result<()> {
    let through = target.contains(['*', '&']) || target.contains("->");
    if through || target.contains(['[', '(']) {
        let why = if through { "accesses through pointers" } else { "accesses to single elements" };
        bail!(
            "`@{name}(\"{target}\")`: {why} are not observed; name a global variable (`count`) or a member of one \
             (`state.count`)"
        );
    }
    Ok(())
}
