#include "../../program.h"
#include <stdatomic.h>
struct node { struct node *next; int value; };
static _Atomic(struct node *) head;
static struct node nodes[2];
static void push(struct node *node) {
    node->value = 1;
    struct node *old = atomic_load(&head);
    do
        node->next = old;
    while (!atomic_compare_exchange_weak(&head, &old, node));
}
NOBODY_CARES(a) {
    push(&nodes[0]);
    return unused;
}
NOBODY_CARES(b) {
    push(&nodes[1]);
    return unused;
}
int main(void) {
    run2(a, b);
    int sum = 0;
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    return sum != 2;
}
