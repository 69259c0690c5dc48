// fails: deadlock
// Readers and a writer: the readers count themselves in two steps, so nobody is the last, and the room stays taken.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t room;
static atomic_int readers = 2;

static void *leave(void *unused) {
#ifdef FIXED
    if (atomic_fetch_sub(&readers, 1) == 1)
        sem_post(&room);
#else
    int left = atomic_load(&readers) - 1;
    atomic_store(&readers, left);
    if (left == 0)
        sem_post(&room);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&room, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, leave, NULL);
    sem_wait(&room);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
