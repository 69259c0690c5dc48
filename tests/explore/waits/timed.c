// A thread waits for a message (-DQUEUE) or a signal until a time has passed, another sends it. With -DBUG the thread expects
// that it came.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

sigset_t set;
mqd_t queue;

static int receive(void) {
#ifdef QUEUE
    char message;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    return mq_timedreceive(queue, &message, 1, 0, &until) == 1 ? 0 : errno == ETIMEDOUT ? 1 : 2;
#else
    struct timespec time = {1, 0};
    return sigtimedwait(&set, 0, &time) == SIGUSR1 ? 0 : errno == EAGAIN ? 1 : 2;
#endif
}

static void *receiver(void *none) {
    int outcome = receive();
    assert(outcome != 2);
#ifdef BUG
    assert(outcome == 0);
#endif
    return none;
}

static void *sender(void *none) {
#ifdef QUEUE
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    char message = 7;
    assert(mq_timedsend(queue, &message, 1, 0, &until) == 0);
#else
    kill(getpid(), SIGUSR1);
#endif
    return none;
}

static void *all(void *none) {
#ifdef QUEUE
    char name[40];
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 1};
    sprintf(name, "/foretrace-timed-%d", getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    assert(queue != -1);
    mq_unlink(name);
#endif
    pthread_t threads[2];
    pthread_create(&threads[0], 0, receiver, 0);
    pthread_create(&threads[1], 0, sender, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return none;
}

int main(void) {
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_t thread;
    pthread_create(&thread, 0, all, 0);
    pthread_join(thread, 0);
    return 0;
}
