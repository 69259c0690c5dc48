#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex m;
static int value;
static void add() {
    std::shared_lock<std::shared_mutex> guard(m);
    value++; // expect: race
}
int main() {
    std::thread a(add), b(add);
    a.join();
    b.join();
    return value == 0;
}
