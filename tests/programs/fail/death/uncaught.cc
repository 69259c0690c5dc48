#include "../../program.h"
#include <mutex>
#include <stdexcept>
#include <thread>
// Nobody catches what is thrown when the lock is taken.
static std::mutex m;
static void holder() { std::lock_guard<std::mutex> lock(m); }
static void trier() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!m.try_lock())
        throw std::runtime_error("busy"); // expect: crash
    m.unlock();
}
int main() {
    std::thread one(holder), two(trier);
    one.join();
    two.join();
    return 0;
}
