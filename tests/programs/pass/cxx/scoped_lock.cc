#include <mutex>
#include <thread>
static std::mutex m, n;
static int value;
int main() {
    std::thread a([] {
        std::scoped_lock both(m, n);
        value++;
    });
    std::thread b([] {
        std::scoped_lock both(n, m);
        value++;
    });
    a.join();
    b.join();
    return value != 2;
}
