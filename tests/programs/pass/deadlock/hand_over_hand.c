#include "../../program.h"
// Lock coupling along a list.
struct node { pthread_mutex_t lock; int value; };
static struct node list[4];
NOBODY_CARES(a) {
    L(list[0].lock);
    for (int i = 1; i < 4; i++) {
        L(list[i].lock);
        list[i - 1].value++;
        U(list[i - 1].lock);
    }
    U(list[3].lock);
    return unused;
}
int main(void) {
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&list[i].lock, NULL);
    run2(a, a);
    return list[0].value != 2;
}
