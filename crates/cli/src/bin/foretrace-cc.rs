//! `foretrace cc` under a name that fits `CC=`.

fn main() -> std::process::ExitCode {
    foretrace::main_as("foretrace-cc")
}
