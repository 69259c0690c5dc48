#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable c;
static bool ready;
static int data;
int main() {
    std::thread a([] {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [] { return ready; });
        data++;
    });
    std::thread b([] {
        std::lock_guard<std::mutex> guard(m);
        data = 1;
        ready = true;
        c.notify_one();
    });
    a.join();
    b.join();
    return data != 2;
}
