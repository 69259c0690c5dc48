#include <chrono>
#include <mutex>
#include <thread>
// Two locks for one variable.
static std::timed_mutex m, n;
static int value;
static void add(std::timed_mutex &lock, int times) {
    for (int i = 0; i < times; i++)
        if (lock.try_lock_for(std::chrono::seconds(5))) {
            value++; // expect: race with line 10
            lock.unlock();
        }
}
int main() {
    std::thread a(add, std::ref(m), 1), b(add, std::ref(n), 1);
    a.join();
    b.join();
}
