#include <atomic>
#include <thread>
// Boehm's seqlock with relaxed atomic data and fences
static std::atomic<unsigned> seq{0};
static std::atomic<int> d1{0}, d2{0};
int main() {
    std::thread w([] {
        for (int i = 1; i < 100; i++) {
            unsigned s = seq.load(std::memory_order_relaxed);
            seq.store(s + 1, std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_release);
            d1.store(i, std::memory_order_relaxed);
            d2.store(i, std::memory_order_relaxed);
            seq.store(s + 2, std::memory_order_release);
        }
    });
    std::thread r([] {
        for (int i = 0; i < 50; i++) {
            unsigned a, b;
            int x, y;
            do {
                a = seq.load(std::memory_order_acquire);
                x = d1.load(std::memory_order_relaxed);
                y = d2.load(std::memory_order_relaxed);
                std::atomic_thread_fence(std::memory_order_acquire);
                b = seq.load(std::memory_order_relaxed);
            } while (a != b || a & 1);
            if (x != y)
                abort();
        }
    });
    w.join();
    r.join();
}
