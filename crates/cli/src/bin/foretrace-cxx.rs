//! `foretrace c++` under a name that fits `CXX=`.

fn main() -> std::process::ExitCode {
    foretrace::main_as("foretrace-c++")
}
