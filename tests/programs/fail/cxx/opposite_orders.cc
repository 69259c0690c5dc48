#include <mutex>
#include <thread>
static std::mutex m, n;
int main() {
    std::thread a([] {
        std::lock_guard<std::mutex> one(m);
        std::lock_guard<std::mutex> two(n); // expect: deadlock
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::thread b([] {
        std::lock_guard<std::mutex> one(n);
        std::lock_guard<std::mutex> two(m);
    });
    a.join();
    b.join();
}
