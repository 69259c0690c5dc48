// ways: gcc clang tsan
// flags: -fno-builtin -ldl
// plugin: plugin_copy.c
// plain plugin: plugin_copy_plain.c
// show: source target
// What libc's functions touch for code that is not instrumented is not recorded: the first copy is, the second is not.
// t0: start; fork t1; join t1; exit 0
// t1: start; read source; write target; release h; release h; end
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

void __tsan_release(void *at);
char source[8], target[8];

static void *work(void *directory) {
    const char *libraries[] = {"plugin_copy.so", "plugin_copy_plain.so"};
    for (int i = 0; i < 2; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", (char *)directory, libraries[i]);
        void *library = dlopen(path, RTLD_NOW);
        void (*copy)(char *, const char *) = library ? (void (*)(char *, const char *))dlsym(library, "copy") : 0;
        if (!copy)
            return directory;
        copy(target, source);
        __tsan_release(&source);
    }
    return 0;
}

int main(int count, char **arguments) {
    pthread_t thread;
    void *failed;
    pthread_create(&thread, 0, work, arguments[count - 1]);
    pthread_join(thread, &failed);
    return failed != 0;
}
