// Two threads send a message each, a third takes both: from a queue of System V, with -DPOSIX from a message queue. With -DBUG
// it expects the messages in the order of their numbers.
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/msg.h>
#include <unistd.h>

struct message {
    long kind;
    char number;
};

#ifdef POSIX
mqd_t queue;
#else
int queue;
#endif

static void *sender(void *number) {
    struct message message = {1, (char)(long)number};
#ifdef POSIX
    return mq_send(queue, &message.number, 1, 0) ? number : 0;
#else
    return msgsnd(queue, &message, 1, 0) ? number : 0;
#endif
}

static void *receiver(void *none) {
    int sum = 0;
    for (int i = 1; i <= 2; i++) {
        struct message message = {0, 0};
#ifdef POSIX
        assert(mq_receive(queue, &message.number, 1, 0) == 1);
#else
        assert(msgrcv(queue, &message, 1, 0, 0) == 1);
#endif
#ifdef BUG
        assert(message.number == i);
#endif
        sum += message.number;
    }
    assert(sum == 3);
    return none;
}

static void *all(void *none) {
    pthread_t threads[3];
#ifdef POSIX
    char name[32];
    struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 1};
    sprintf(name, "/foretrace-test-%d", getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink(name);
#else
    queue = msgget(IPC_PRIVATE, 0600);
#endif
    assert(queue != -1);
    pthread_create(&threads[0], 0, receiver, 0);
    pthread_create(&threads[1], 0, sender, (void *)1);
    pthread_create(&threads[2], 0, sender, (void *)2);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
#ifndef POSIX
    msgctl(queue, IPC_RMID, 0);
#endif
    return none;
}

// The queue is made by a thread: what is made before the first thread belongs to all executions.
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, all, 0);
    pthread_join(thread, 0);
    return 0;
}
