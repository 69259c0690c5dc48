//! `foretrace`, or the compiler of whose name it is called.

fn main() -> std::process::ExitCode {
    foretrace::main()
}
