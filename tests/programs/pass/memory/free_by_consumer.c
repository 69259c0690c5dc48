#include "../../program.h"
// Messages are made by one thread, and freed by the other that got them.
struct message { int text; struct message *next; };
static struct message *queue;
static sem_t full;
MUTEX(m);
NOBODY_CARES(producer) {
    for (int i = 0; i < 4; i++) {
        struct message *message = malloc(sizeof *message);
        message->text = i;
        L(m);
        message->next = queue;
        queue = message;
        U(m);
        sem_post(&full);
    }
    return unused;
}
NOBODY_CARES(consumer) {
    for (int i = 0; i < 4; i++) {
        sem_wait(&full);
        L(m);
        struct message *message = queue;
        queue = message->next;
        U(m);
        message->text++;
        free(message);
    }
    return unused;
}
int main(void) {
    sem_init(&full, 0, 0);
    run2(producer, consumer);
    return queue != NULL;
}
