//! The kind of an input file: by its name, or by the `-x` before it.

/// What the compiler does with an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// Compiled: C, C++, Objective-C, or the compiler's own intermediate forms.
    Source,
    /// Compiled to a precompiled header; never linked.
    Header,
    /// Assembled; it carries no hooks.
    Assembly,
    /// Passed to the linker.
    Object,
}

impl Input {
    /// By the extension of the file's name; unknown files go to the linker, as in the compilers.
    pub fn of_file(file: &str) -> Self {
        let name = file.rsplit('/').next().unwrap_or(file);
        match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "c" | "i" | "ii" | "C" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "c++m" | "cppm" | "ccm" | "cxxm"
            | "ixx" | "iim" | "m" | "mi" | "M" | "mm" | "mii" | "ll" | "bc" => Self::Source,
            "h" | "hh" | "H" | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "tcc" => Self::Header,
            "s" | "S" | "sx" | "asm" => Self::Assembly,
            _ => Self::Object,
        }
    }

    /// By the language of `-x`; `None` for `-x none`, after which the name decides again.
    pub fn of_language(language: &str) -> Option<Self> {
        match language {
            "none" => None,
            "assembler" | "assembler-with-cpp" => Some(Self::Assembly),
            header if header.contains("header") => Some(Self::Header),
            _ => Some(Self::Source),
        }
    }
}
