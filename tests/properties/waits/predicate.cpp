// A predicate, and a loop written out.
// lost: no
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable changed;
int stage;
static void waiter() {
    std::unique_lock<std::mutex> guard(mutex);
    changed.wait(guard, [] { return stage > 0; });
    while (stage < 2)
        changed.wait(guard);
}
static void advance() {
    for (int i = 0; i < 300; i++)
        std::this_thread::yield();
    {
        std::lock_guard<std::mutex> guard(mutex);
        stage++;
    }
    changed.notify_one();
}
int main() {
    std::thread other(waiter);
    advance();
    advance();
    other.join();
}
