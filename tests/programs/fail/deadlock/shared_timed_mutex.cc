#include <shared_mutex>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::shared_timed_mutex s;
static std::timed_mutex t;
static int n;
int main() {
    std::thread a([] {
        std::shared_lock<std::shared_timed_mutex> l(s);
        std::lock_guard<std::timed_mutex> g(t); // expect: deadlock
        n++;
    });
    usleep(20000);
    std::thread b([] {
        std::lock_guard<std::timed_mutex> g(t);
        std::unique_lock<std::shared_timed_mutex> l(s);
        n++;
    });
    a.join();
    b.join();
}
