#include <atomic>
#include <thread>
#include <vector>
static std::atomic<int> turn{0};
static int log_[60], n;
int main() {
    std::vector<std::thread> ts;
    for (int id = 0; id < 3; id++)
        ts.emplace_back([id] {
            for (int r = 0; r < 20; r++) {
                for (int t; (t = turn.load(std::memory_order_acquire)) % 3 != id;)
                    turn.wait(t);
                log_[n++] = id;
                turn.fetch_add(1, std::memory_order_release);
                turn.notify_all();
            }
        });
    for (auto &t : ts)
        t.join();
    for (int i = 0; i < 60; i++)
        if (log_[i] != i % 3)
            return 1;
    return 0;
}
