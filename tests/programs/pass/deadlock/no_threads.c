#include "../../program.h"
// Opposite orders in a program that never makes a thread.
MUTEX(a);
MUTEX(b);
int main(void) {
    L(a);
    L(b);
    U(b);
    U(a);
    L(b);
    L(a);
    U(a);
    U(b);
    return 0;
}
