// A thread comes back to forty thousand lines until it has a large table for them, and the program dies in its segment.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LINES = 40000, ROUNDS = 20 };

static struct line {
    long first, others[7];
} lines[LINES] __attribute__((aligned(64)));

static void *work(void *unused) {
    // The reads of the last round are in the table when the program dies; so is each line's write, or the stream has it.
    volatile long sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < LINES; i++) {
            struct line *line = &lines[(long)i * 7919 % LINES];
            line->others[6] = i;
            sum += line->first;
        }
    raise(SIGKILL);
    return unused;
}

int main(void) {
    pthread_t thread;
    printf("%lu\n", (unsigned long)lines / sizeof *lines);
    fflush(stdout);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
