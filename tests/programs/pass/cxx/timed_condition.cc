#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
// wait_until on the steady clock is pthread_cond_clockwait.
static std::timed_mutex m;
static std::condition_variable_any c;
static bool ready;
static int data;
int main() {
    std::thread a([] {
        data = 1;
        std::lock_guard<std::timed_mutex> lock(m);
        ready = true;
        c.notify_one();
    });
    std::thread b([] {
        std::unique_lock<std::timed_mutex> lock(m, std::chrono::seconds(5));
        if (lock && c.wait_for(lock, std::chrono::seconds(5), [] { return ready; }))
            data++;
    });
    a.join();
    b.join();
}
