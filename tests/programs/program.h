// What every program of the corpus has: two or more threads, started and joined.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void *(*body)(void *);

// Runs the functions in threads of their own and waits for all of them.
static inline void run2(body a, body b) {
    pthread_t one, two;
    pthread_create(&one, NULL, a, NULL);
    pthread_create(&two, NULL, b, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

static inline void run3(body a, body b, body c) {
    pthread_t one, two, three;
    pthread_create(&one, NULL, a, NULL);
    pthread_create(&two, NULL, b, NULL);
    pthread_create(&three, NULL, c, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
}

// One after the other: what they do is apart in time, and only creation and join order it.
static inline void run_in_turn(body a, body b) {
    pthread_t thread;
    pthread_create(&thread, NULL, a, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, b, NULL);
    pthread_join(thread, NULL);
}

// Is another thread running, or waiting for a processor?
static inline int others_want_to_run(void) {
    int found = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *thread; threads && !found && (thread = readdir(threads));) {
        char path[300], line[200] = "";
        if (atoi(thread->d_name) == gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file))
            found = strstr(line, ") R ") != NULL;
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return found;
}

// Gives the other threads time, so that the recorded run is the one the program's author has in mind, on a busy machine as
// well. Orders nothing.
static inline void let_others_run(void) {
    for (int i = 0; i < 6; i++) {
        usleep(3000);
        if (!others_want_to_run())
            return;
    }
}

static inline struct timespec in_milliseconds(int ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

#define L(m) pthread_mutex_lock(&(m))
#define U(m) pthread_mutex_unlock(&(m))
#define MUTEX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER
#define COND(c) static pthread_cond_t c = PTHREAD_COND_INITIALIZER
#define NOBODY_CARES(name) static void *name(void *unused)
