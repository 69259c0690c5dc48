// Threads that count each operation, in a file that outlives them, when it has returned.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4 };

struct Progress {
    uint64_t pid;
    struct {
        uint64_t locks, unlocks, posts;
    } thread[THREADS];
};

static volatile struct Progress *progress;
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t semaphores[THREADS];
static int memory[THREADS][65536];

static void *work(void *arg) {
    int me = (int)(intptr_t)arg;
    for (unsigned turn = 0;; turn++) {
        pthread_mutex_t *mutex = &mutexes[turn % 2];
        pthread_mutex_lock(mutex);
        progress->thread[me].locks++;
        for (unsigned i = 0; i < turn % 8; i++)
            memory[me][(turn * 977 + i * 61) % 65536]++;
        pthread_mutex_unlock(mutex);
        progress->thread[me].unlocks++;
        sem_post(&semaphores[me]);
        progress->thread[me].posts++;
        sem_wait(&semaphores[me]);
    }
    return 0;
}

int main(int count, char **args) {
    int file = open(args[1], O_RDWR);
    progress = mmap(0, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (progress == MAP_FAILED)
        return 1;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        sem_init(&semaphores[i], 0, 0);
    progress->pid = getpid();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
