// The first calls of functions that the runtime stands in front of, in every place where a first call can be. The argument
// names the place. In each, looking up what does not exist makes the loader allocate, free and report errors.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *volatile place;

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0)
        _exit(3);
}

__attribute__((noinline)) static void call(const char *here) {
    const char *wanted = place;
    if (!wanted || strcmp(wanted, here) != 0)
        return;
    for (int i = 0; i < 3; i++) {
        if (dlopen("libnothing.so.9", RTLD_NOW) || dlsym(RTLD_DEFAULT, "no_such_name"))
            _exit(4);
        if (!dlerror())
            _exit(5);
    }
    void *block = realloc(calloc(3, 5), 100);
    free(block);
    say("called in ");
    say(here);
    say("\n");
}

static void before_everything(int argc, char **argv, char **environment) {
    (void)environment;
    place = argc > 1 ? argv[1] : "main";
    call("preinit");
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(int, char **, char **) = before_everything;

__attribute__((constructor(101))) static void early_constructor(void) { call("constructor"); }
__attribute__((destructor)) static void destructor(void) { call("destructor"); }
static void at_exit(void) { call("exit"); }
static void handler(int number) { (void)number, call("handler"); }
static void end_of_thread(void *value) { (void)value, call("thread's end"); }

static void *run(void *key) {
    pthread_setspecific(*(pthread_key_t *)key, key);
    call("thread");
    return NULL;
}

static void thread(void) {
    pthread_key_t key;
    pthread_t other;
    pthread_key_create(&key, end_of_thread);
    pthread_create(&other, NULL, run, &key);
    pthread_join(other, NULL);
}

int main(void) {
    atexit(at_exit);
    call("main");
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pid_t child = fork();
    if (child == 0) {
        call("child");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    thread();
    return status != 0;
}
