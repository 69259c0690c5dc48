#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
// Nobody notifies: the worker finds out by its time-outs. A wait with a deadline is never stuck.
static std::mutex m;
static std::condition_variable cv;
static bool done;
static int rounds;
static void work() {
    std::unique_lock lock(m);
    while (!done) {
        cv.wait_for(lock, std::chrono::milliseconds(100));
        rounds++;
    }
}
int main() {
    std::thread worker(work);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    {
        std::lock_guard lock(m);
        done = true;
    }
    worker.join();
    return rounds < 0;
}
