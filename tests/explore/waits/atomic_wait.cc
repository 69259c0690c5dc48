// Two threads wait with C++20's `atomic::wait`, and the main thread, when both have ended, for them. A third has set the variable
// and notified all of them.
#include <atomic>
#include <thread>

std::atomic<int> go{0}, done{0};

int main() {
    auto waits = [] {
        go.wait(0);
        done.fetch_add(1);
        done.notify_all();
    };
    std::thread first(waits), second(waits), third([] {
        go = 1;
        go.notify_all();
    });
    third.join();
    for (int seen = done; seen != 2; seen = done)
        done.wait(seen);
    first.join();
    second.join();
}
