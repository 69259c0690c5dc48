// flags: -ldl
// plugin: plugin.c
// plain plugin: plugin_plain.c
// Libraries loaded while threads run: of one that is built for recording the accesses are there, of another only
// synchronisation is.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; write data; unlock m; lock m2; unlock m2; end
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int data, hidden;

static int call(const char *directory, const char *file, int *value) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    void (*touch)(int *) = (void (*)(int *))dlsym(library, "touch");
    touch(value);
    return 0;
}

static void *work(void *arg) {
    if (call(arg, "plugin.so", &data) || call(arg, "plugin_plain.so", &hidden))
        return arg;
    return 0;
}

int main(int count, char **args) {
    pthread_t thread;
    void *value;
    printf("@data %p %zu\n@hidden %p %zu\n", (void *)&data, sizeof data, (void *)&hidden, sizeof hidden);
    pthread_create(&thread, 0, work, args[1]);
    pthread_join(thread, &value);
    return value != 0;
}
