// Two threads write to a pipe each, and a third waits for both at once: with `select`, with -DPOLL with `poll`, with -DEPOLL with
// `epoll_wait`. With -DBUG it expects the first pipe to be the first.
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

int pipes[2][2];

static void *writer(void *number) {
    char byte = 1;
    return write(pipes[(long)number][1], &byte, 1) == 1 ? 0 : number;
}

// Waits until one of the pipes that are left can be read: which one.
static int await(const int *left) {
#ifdef POLL
    struct pollfd files[2];
    for (int i = 0; i < 2; i++)
        files[i] = (struct pollfd){left[i] ? pipes[i][0] : -1, POLLIN, 0};
    assert(poll(files, 2, -1) > 0);
    return files[0].revents ? 0 : 1;
#elif defined EPOLL
    struct epoll_event event;
    int all = epoll_create1(0);
    for (int i = 0; i < 2; i++) {
        event = (struct epoll_event){EPOLLIN, {.u32 = i}};
        assert(!left[i] || epoll_ctl(all, EPOLL_CTL_ADD, pipes[i][0], &event) == 0);
    }
    assert(epoll_wait(all, &event, 1, -1) == 1);
    close(all);
    return event.data.u32;
#else
    fd_set set;
    FD_ZERO(&set);
    for (int i = 0; i < 2; i++)
        if (left[i])
            FD_SET(pipes[i][0], &set);
    assert(select(pipes[1][0] + 1, &set, 0, 0, 0) > 0);
    return FD_ISSET(pipes[0][0], &set) ? 0 : 1;
#endif
}

static void *reader(void *none) {
    int left[2] = {1, 1};
    for (int round = 0; round < 2; round++) {
        int ready = await(left);
#ifdef BUG
        assert(round == ready);
#endif
        char byte = 0;
        assert(read(pipes[ready][0], &byte, 1) == 1 && byte == 1);
        left[ready] = 0;
    }
    return none;
}

int main(void) {
    pthread_t threads[3];
    assert(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, writer, (void *)0);
    pthread_create(&threads[2], 0, writer, (void *)1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
