#include <atomic>
#include <thread>
static std::atomic<bool> stop{false};
static std::atomic<int> rounds{0};
int main() {
    std::thread a([] {
        while (!stop) {
            rounds++;
            std::this_thread::yield();
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop = true;
    a.join();
    return 0;
}
