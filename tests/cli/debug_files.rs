//! Debug information in files of its own, and none at all.

use crate::support::{FORETRACE, Scratch, compilers, needs};

const RACE: &str = "#include <pthread.h>
int shared;
void *first(void *unused) { shared = 1; return unused; }
void *second(void *unused) { shared = 2; return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";
const BUILD: &str = "foretrace cc --compiler=gcc -g -Wl,--build-id race.c -o race && objcopy --only-keep-debug race race.debug \
    && objcopy --strip-all --keep-symbol=__foretrace_runtime race";

/// What a check says after these commands.
fn said(commands: &str) -> String {
    needs("objcopy");
    let scratch = Scratch::with(&[("race.c", RACE)]);
    scratch.shell(BUILD).succeeds();
    let ran = scratch.shell(&format!("{commands}; foretrace check -- ./race"));
    assert_eq!(ran.code(), Some(1), "{}", ran.err());
    ran.err()
}

#[test]
fn a_program_without_debug_information_gets_a_hint() {
    let report = said("rm race.debug");
    assert!(report.contains("no debug information for race: compile with -g"), "{report}");
}

#[test]
fn a_debug_link_is_followed() {
    for folder in [".", ".debug"] {
        let report = said(&format!(
            "objcopy --add-gnu-debuglink=race.debug race && mkdir -p {folder} && [ {folder} = . ] || mv race.debug .debug"
        ));
        assert!(report.contains("race.c:3") && report.contains("data race on `shared`"), "{folder}: {report}");
        assert!(!report.contains("no debug information"), "{report}");
    }
}

#[test]
fn debug_files_are_found_by_build_id_in_a_directory_of_the_users() {
    let move_away = "id=$(readelf -n race.debug | sed -n 's/.*Build ID: //p'); rest=${id#??}; dir=debug/.build-id/${id%$rest}; \
        mkdir -p $dir && mv race.debug $dir/$rest.debug; export FORETRACE_DEBUG_DIR=$PWD/debug";
    let report = said(move_away);
    assert!(report.contains("race.c:3") && report.contains("data race on `shared`"), "{report}");
}

#[test]
fn a_debug_file_of_another_build_is_not_taken() {
    let other = "mkdir other && echo 'int main(void) { return 0; }' > other/race.c && gcc -g -Wl,--build-id other/race.c -o \
        other/race && objcopy --only-keep-debug other/race race.debug; objcopy --add-gnu-debuglink=race.debug race";
    let report = said(other);
    assert!(report.contains("no debug information for race"), "{report}");
}

const LOCAL: &str = "#include <pthread.h>
struct totals { long first; long second[4]; };
void *add(void *to) { ((struct totals *)to)->second[2]++; return to; }
int main(void) {
    struct totals totals = { 0 };
    pthread_t a, b;
    pthread_create(&a, 0, add, &totals);
    pthread_create(&b, 0, add, &totals);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn local_variables_have_names() {
    for compiler in crate::support::compilers() {
        let scratch = Scratch::with(&[("local.c", LOCAL)]);
        let ran = scratch.shell(&format!("FORETRACE_CC={compiler} foretrace check local.c"));
        let report = ran.err();
        assert!(report.contains("data race on `totals.second[2]`, a local variable of main"), "{compiler}: {report}");
    }
}

const BEHIND_A_CLASS: &str = "#include <condition_variable>
#include <thread>
class Pool {
public:
    void work() { completed_++; }
private:
    std::condition_variable wake_;
    bool stop_ = false;
    int completed_ = 0;
};
int main() {
    Pool pool;
    std::thread other([&] { pool.work(); });
    pool.work();
    other.join();
}
";

/// Clang knows no size of `std::condition_variable`, which the C++ library defines.
#[test]
fn members_behind_a_class_of_a_library_have_names() {
    for compiler in crate::support::compilers() {
        let scratch = Scratch::with(&[("pool.cc", BEHIND_A_CLASS)]);
        let ran = scratch.shell(&format!("FORETRACE_CC={compiler} foretrace check pool.cc"));
        let report = ran.err();
        assert!(report.contains("data race on `pool.completed_`, a local variable of main"), "{compiler}: {report}");
    }
}

/// The lines of a program that was built and changed by these commands, as its recording shows them.
fn dumped(commands: &str) -> String {
    let scratch = Scratch::with(&[("race.c", RACE)]);
    scratch.shell(commands).succeeds();
    scratch.shell("foretrace record -o run.ft ./race").succeeds();
    scratch.run(&format!("timeout 20 {FORETRACE} trace dump run.ft")).succeeds().out()
}

#[test]
fn units_with_debug_files_of_their_own_and_packed_sections_have_lines() {
    needs("dwp");
    let split = "foretrace cc --compiler=gcc -g -gsplit-dwarf race.c -o race";
    for build in [
        split.to_owned(),
        // The packer of binutils does not know DWARF 5.
        format!("{split} -gdwarf-4 && dwp -e race -o race.dwp && rm *.dwo"),
        "foretrace cc --compiler=gcc -g -gz=zlib race.c -o race".to_owned(),
    ] {
        let dump = dumped(&build);
        assert!(dump.contains("race.c:3"), "{build}: {dump}");
    }
}

/// Debug information names files, and whoever wrote it may name a FIFO.
#[test]
fn a_fifo_as_a_debug_file_is_not_waited_for() {
    let build = "foretrace cc --compiler=gcc -g -gsplit-dwarf race.c -o race && ls *.dwo";
    dumped(&format!("{build} && for file in *.dwo; do rm $file; mkfifo $file; done; mkfifo race.dwp"));
}

/// Two members of a block are updated without a lock; the second type has the same size and other members.
const BLOCKS: &str = "#include <pthread.h>
#include <stdlib.h>
typedef struct { int done, length; } task;
struct other { int first, last; };
task *shared;
static struct other other;
static void *finish(void *unused) { shared->length++; return unused; }
static void *start(void *unused) { shared->length += 2; return unused; }
int main(void) {
    pthread_t a, b;
    shared = calloc(3, sizeof *shared);
    pthread_create(&a, 0, finish, 0);
    pthread_create(&b, 0, start, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return other.last;
}
";

#[test]
fn members_of_heap_blocks_have_names() {
    for compiler in compilers() {
        for level in ["-O0", "-O2"] {
            let scratch = Scratch::with(&[("blocks.c", BLOCKS)]);
            scratch
                .run(&format!("foretrace cc --compiler={compiler} -g {level} -pthread blocks.c -o blocks"))
                .succeeds();
            let ran = scratch.run("foretrace check -- ./blocks");
            assert_eq!(ran.code(), Some(1), "{compiler} {level}: {}", ran.err());
            assert!(ran.err().contains("data race on `task.length`"), "{compiler} {level}: {}", ran.err());
            assert!(ran.err().contains("heap block of 24 bytes"), "{compiler} {level}: {}", ran.err());
        }
    }
}
