// ways: gcc clang tsan
// flags: -fno-builtin
// show: mine quiet theirs
// Fibers are threads of the recording; a switch orders them, unless it says otherwise.
// t0: start; fork t1; write mine; release h; acquire h2; write mine; exit 0
// t1: start; named fiber; acquire h; write theirs; release h2; write quiet; end
#include <pthread.h>
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
int mine, theirs, quiet;
int main(void) {
    void *self = __tsan_get_current_fiber(), *fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(fiber, "fiber");
    mine = 1;
    __tsan_switch_to_fiber(fiber, 0);
    theirs = 1;
    __tsan_switch_to_fiber(self, 0);
    mine = 2;
    __tsan_switch_to_fiber(fiber, 1);
    quiet = 1;
    __tsan_switch_to_fiber(self, 1);
    __tsan_destroy_fiber(fiber);
    return 0;
}
