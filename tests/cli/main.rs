//! The command line tool, run as its users run it.
