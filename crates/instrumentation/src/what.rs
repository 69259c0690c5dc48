//! The kinds of join-points.

/// The kind of a join-point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A call of a function.
    Call,
    /// The body of a function.
    Body,
    /// A load of a global variable.
    ReadGlobal,
    /// A store to a global variable.
    WriteGlobal,
    /// A line of the source.
    Line,
}

impl What {
    /// All kinds of join-points.
    pub const ALL: [Self; 5] = [Self::Call, Self::Body, Self::ReadGlobal, Self::WriteGlobal, Self::Line];

    /// Its name in specifications.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Body => "body",
            Self::ReadGlobal => "read-global",
            Self::WriteGlobal => "write-global",
            Self::Line => "line",
        }
    }

    /// Is it an access of a variable?
    pub const fn is_access(self) -> bool {
        matches!(self, Self::ReadGlobal | Self::WriteGlobal)
    }

    /// Does it concern a function?
    pub const fn is_function(self) -> bool {
        matches!(self, Self::Call | Self::Body)
    }
}
