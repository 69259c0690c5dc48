#include "../../program.h"
static int count;
MUTEX(m);
NOBODY_CARES(a) {
    for (int i = 0; i < 10; i++) {
        L(m);
        count++;
        U(m);
    }
    return unused;
}
int main(void) { run2(a, a); return count != 20; }
