// Fibers are threads of the recording; a switch orders them, unless it says otherwise.
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
