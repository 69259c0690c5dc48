#include "../../program.h"
// Waiting for an atomic to change, a latch, and a semaphore of C++20.
#include <atomic>
#include <latch>
#include <semaphore>
static std::atomic<int> ready{0};
static std::latch both{2};
static std::counting_semaphore<2> permits{0};
static int data, more, most;
NOBODY_CARES(gives) {
    data = 1;
    ready.store(1, std::memory_order_release);
    ready.notify_one();
    more = 2;
    both.arrive_and_wait();
    most = 3;
    permits.release();
    return unused;
}
NOBODY_CARES(takes) {
    ready.wait(0, std::memory_order_acquire);
    int sum = data;
    both.arrive_and_wait();
    sum += more;
    permits.acquire();
    sum += most;
    return sum == 6 ? unused : nullptr;
}
int main() {
    run2(gives, takes);
    return 0;
}
