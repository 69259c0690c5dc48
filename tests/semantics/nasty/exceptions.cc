// Exceptions thrown in one thread and caught in another, through frames that lock.
#include "nasty.h"
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex guard;

static void deep(int levels) {
    std::lock_guard<std::mutex> held(guard);
    if (levels == 0)
        throw std::runtime_error("deep");
    guard.unlock();
    try {
        deep(levels - 1);
    } catch (...) {
        guard.lock();
        throw;
    }
}

int main() {
    events();
    std::vector<std::exception_ptr> caught(8);
    std::vector<std::thread> threads;
    for (auto &slot : caught)
        threads.emplace_back([&slot] {
            try {
                deep(5);
            } catch (...) {
                slot = std::current_exception();
            }
        });
    for (auto &thread : threads)
        thread.join();
    int seen = 0;
    for (auto &slot : caught)
        try {
            std::rethrow_exception(slot);
        } catch (const std::runtime_error &) {
            seen++;
        }
    MUST(seen == 8);
    say("eight caught");
}
