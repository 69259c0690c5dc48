#include <atomic>
#include <thread>
#include <vector>
struct N {
    int v;
    N *next;
};
static std::atomic<N *> head{nullptr};
static std::atomic<long> sum{0};
int main() {
    std::vector<std::thread> ts;
    for (int k = 0; k < 2; k++)
        ts.emplace_back([k] {
            for (int i = 0; i < 100; i++) {
                N *n = new N{i + k, head.load(std::memory_order_relaxed)};
                while (!head.compare_exchange_weak(n->next, n, std::memory_order_release, std::memory_order_relaxed)) {
                }
            }
        });
    ts.emplace_back([] {
        for (int i = 0; i < 10; i++) {
            N *l = head.exchange(nullptr, std::memory_order_acquire);
            while (l) {
                sum += l->v;
                N *d = l;
                l = l->next;
                delete d;
            }
            std::this_thread::yield();
        }
    });
    for (auto &t : ts)
        t.join();
    for (N *l = head; l;) {
        sum += l->v;
        N *d = l;
        l = l->next;
        delete d;
    }
    return sum != 2 * 4950 + 100;
}
