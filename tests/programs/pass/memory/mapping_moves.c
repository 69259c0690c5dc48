#include "../../program.h"
// A mapping is moved to another place; what is mapped at the old one afterwards is other memory.
#include <sys/mman.h>
enum { SIZE = 1 << 16 };
MUTEX(m);
static char *shared;
NOBODY_CARES(moves) {
    L(m);
    shared[0]++;
    char *old = shared;
    shared = mremap(old, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    U(m);
    char *own = mmap(old, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own[0] = 1;
    munmap(own, SIZE);
    return unused;
}
int main(void) {
    shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run2(moves, moves);
    return shared[0] == 2 ? 0 : 1;
}
