#include <chrono>
#include <list>
#include <mutex>
#include <shared_mutex>
#include <thread>
// A lookup under a shared lock moves what it found to the front, which only the library's own code does.
static std::list<int> recent{1, 2, 3};
static std::shared_mutex mutex;
static int look_up(int wanted) {
    std::shared_lock<std::shared_mutex> guard(mutex);
    for (auto it = recent.begin(); it != recent.end(); ++it) {
        if (*it == wanted) {
            recent.splice(recent.begin(), recent, it); // expect: race with line 11
            return *recent.begin();
        }
    }
    return 0;
}
int main() {
    int seen[2] = {};
    std::thread a([&] { seen[0] = look_up(2); });
    std::thread b([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        seen[1] = look_up(3);
    });
    a.join();
    b.join();
    return seen[0] + seen[1] != 5;
}
