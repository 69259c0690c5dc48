#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex m;
static int value;
int main() {
    std::thread a([] {
        std::unique_lock<std::shared_mutex> guard(m);
        value++;
    });
    int seen = 0;
    std::thread b([&seen] {
        std::shared_lock<std::shared_mutex> guard(m);
        seen = value;
    });
    a.join();
    b.join();
    return seen > 1;
}
