#include <thread>
// The initialisation of a static is ordered; what is done to it later is not.
static int &counter() {
    static int *one = new int(0);
    return *one;
}
int main() {
    std::thread a([] { counter()++; }), b([] { counter()++; }); // expect: race
    a.join();
    b.join();
    return counter() == 0;
}
