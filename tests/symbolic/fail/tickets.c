// Two threads may draw the same ticket.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int next, drawn[4];

static int draw(void) {
    pthread_mutex_lock(&lock);
    int ticket = next;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    next = ticket + 1;
    pthread_mutex_unlock(&lock);
    return ticket;
}

static void *guest(void *unused) {
    int ticket = draw();
    pthread_mutex_lock(&lock);
    drawn[0] += ticket == 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, guest, NULL);
    pthread_create(&thread[1], NULL, guest, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    assert(drawn[0] == 1); // expect: crash
    return 0;
}
