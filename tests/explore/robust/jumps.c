// Threads leave nested calls with `longjmp`, some of which hold a lock, and count how often under that lock. Each has a buffer and a
// count of its own in thread-local storage.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

#define ROUNDS 2

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int all;
_Thread_local jmp_buf back;
_Thread_local int own = 10;

static void deeper(int depth) {
    volatile char room[256];
    room[depth] = 1;
    if (depth > 0)
        deeper(depth - 1);
    pthread_mutex_lock(&lock);
    longjmp(back, room[depth] + 1);
}

static void *jump(void *none) {
    for (volatile int round = 0; round < ROUNDS; round++) {
        if (setjmp(back) == 0)
            deeper(3);
        all++;
        own++;
        pthread_mutex_unlock(&lock);
    }
    assert(own == 10 + ROUNDS);
    return none;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, jump, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(all == 2 * ROUNDS && own == 10);
    return 0;
}
