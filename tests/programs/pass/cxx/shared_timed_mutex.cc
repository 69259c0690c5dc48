#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_timed_mutex m;
static int value;
static void add() {
    if (m.try_lock_until(std::chrono::steady_clock::now() + std::chrono::seconds(5))) {
        value++;
        m.unlock();
    }
}
int main() {
    std::thread a(add), b(add);
    a.join();
    b.join();
    return value != 2;
}
