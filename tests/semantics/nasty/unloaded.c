// A library is loaded, used by threads, and unloaded, again and again.
// plugin: plugin.c
#include "nasty.h"

static void *use(void *arg) {
    void (*bump)(int) = (void (*)(int))arg;
    for (int i = 0; i < 100; i++)
        bump(i);
    return 0;
}

int main(int count, char **args) {
    events();
    char path[4096];
    char *slash = strrchr(args[0], '/');
    snprintf(path, sizeof path, "%.*s/plugin.so", (int)(slash - args[0]), args[0]);
    for (int turn = 0; turn < 20; turn++) {
        void *library = dlopen(path, RTLD_NOW);
        MUST(library != 0);
        void *bump = dlsym(library, "bump");
        int (*total)(void) = (int (*)(void))dlsym(library, "total");
        pthread_t one = start(use, bump), two = start(use, bump);
        pthread_join(one, 0);
        pthread_join(two, 0);
        MUST(total() == 9900);
        MUST(dlclose(library) == 0);
        MUST(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == 0);
    }
    say("twenty times");
    return count - 1;
}
