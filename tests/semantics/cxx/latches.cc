// events: any
// flags: -std=c++20
// Latches, barriers and semaphores of C++20 are atomics and system calls.
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

static std::barrier barrier(2);
static std::latch latch(2);
static std::counting_semaphore<4> semaphore(1);

static void work() {
    latch.count_down();
    semaphore.acquire();
    semaphore.release(2);
    for (int i = 0; i < 100; i++)
        barrier.arrive_and_wait();
}

int main() {
    std::thread thread(work);
    for (int i = 0; i < 100; i++)
        barrier.arrive_and_wait();
    thread.join();
    latch.count_down();
    latch.wait();
    return semaphore.try_acquire() ? 0 : 1;
}
