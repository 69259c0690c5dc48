#include "../../program.h"
#include <stdatomic.h>
struct object { atomic_int references; int data; };
static struct object *object;
static void drop(void) {
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
}
NOBODY_CARES(a) {
    int seen = object->data;
    drop();
    return seen == 3 ? unused : NULL;
}
int main(void) {
    object = malloc(sizeof *object);
    atomic_init(&object->references, 2);
    object->data = 3;
    run2(a, a);
    return 0;
}
