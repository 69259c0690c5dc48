//! The words of the language.

use super::symbol::Symbol;
use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    And,
    Assert,
    Channel,
    Datatype,
    Else,
    Endmodule,
    Exports,
    External,
    False,
    If,
    Instance,
    Let,
    Module,
    Nametype,
    Not,
    Or,
    Print,
    Subtype,
    Then,
    Timed,
    Transparent,
    True,
    Within,
}

impl Keyword {
    pub const ALL: &[(&str, Keyword)] = &[
        ("and", Keyword::And),
        ("assert", Keyword::Assert),
        ("channel", Keyword::Channel),
        ("datatype", Keyword::Datatype),
        ("else", Keyword::Else),
        ("endmodule", Keyword::Endmodule),
        ("exports", Keyword::Exports),
        ("external", Keyword::External),
        ("false", Keyword::False),
        ("if", Keyword::If),
        ("instance", Keyword::Instance),
        ("let", Keyword::Let),
        ("module", Keyword::Module),
        ("nametype", Keyword::Nametype),
        ("not", Keyword::Not),
        ("or", Keyword::Or),
        ("print", Keyword::Print),
        ("subtype", Keyword::Subtype),
        ("then", Keyword::Then),
        ("Timed", Keyword::Timed),
        ("transparent", Keyword::Transparent),
        ("true", Keyword::True),
        ("within", Keyword::Within),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, k)| *k == self).map_or("?", |(n, _)| n)
    }

    /// Keywords that begin a declaration, where the parser can start again after an error.
    pub fn starts_declaration(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Assert
                | Channel
                | Datatype
                | External
                | Instance
                | Module
                | Nametype
                | Print
                | Subtype
                | Timed
                | Transparent
        )
    }
}

/// The model a refinement is judged in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Model {
    Traces,
    Failures,
    FailuresDivergences,
    Revivals,
    RevivalsDivergences,
    RefusalTesting,
    RefusalTestingDivergences,
}

impl Model {
    const TAGS: [(&'static str, Model); 7] = [
        ("T", Model::Traces),
        ("F", Model::Failures),
        ("FD", Model::FailuresDivergences),
        ("V", Model::Revivals),
        ("VD", Model::RevivalsDivergences),
        ("R", Model::RefusalTesting),
        ("RD", Model::RefusalTestingDivergences),
    ];

    pub fn named(tag: &str) -> Option<Model> {
        Self::TAGS.iter().find(|(t, _)| *t == tag).map(|(_, model)| *model)
    }

    /// The one of the first three models that gives the same answers about a single process.
    pub fn basic(self) -> Model {
        match self {
            Model::Traces => Model::Traces,
            Model::Failures | Model::Revivals | Model::RefusalTesting => Model::Failures,
            _ => Model::FailuresDivergences,
        }
    }

    pub fn tag(self) -> &'static str {
        match self {
            Model::Traces => "T",
            Model::Failures => "F",
            Model::FailuresDivergences => "FD",
            Model::Revivals => "V",
            Model::RevivalsDivergences => "VD",
            Model::RefusalTesting => "R",
            Model::RefusalTestingDivergences => "RD",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tok {
    Ident(Symbol),
    Int(i64),
    Char(char),
    Str(String),
    Key(Keyword),
    /// An operator or bracket, by its glyphs.
    Op(&'static str),
    /// `[T=`, `[FD=` and so on; the model's name.
    Refines(String),
    Eof,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
    /// A newline stands between this token and the one before it.
    pub newline: bool,
    /// Nothing at all stands between this token and the one before it.
    pub glued: bool,
}

/// Every operator and bracket, longest first: the lexer takes the first that fits.
pub const OPERATORS: &[&str] = &[
    "|||", "|~|", "<->", "=>*", "[]", "[|", "|]", "[[", "]]", "[>", "|>", "[+", "+]", "/+", "+\\", "/\\", "|\\", "{|",
    "|}", "|)", "||", "<-", "->", "..", "::", "=>", "==", "!=", "<=", ">=", "@@", "(", ")", "{", "}", "[", "]", "<",
    ">", ",", ";", ":", ".", "?", "!", "$", "&", "|", "=", "+", "-", "*", "/", "%", "#", "^", "\\", "@", "_",
];
