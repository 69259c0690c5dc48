#include "../../program.h"
#include <sys/mman.h>
static char *page;
NOBODY_CARES(a) {
    page[100] = 1; // expect: race with line 10
    return unused;
}
NOBODY_CARES(b) {
    let_others_run();
    munmap(page, 4096);
    return unused;
}
int main(void) {
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    run2(a, b);
    return 0;
}
