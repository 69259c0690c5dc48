#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>
int main() {
    constexpr int N = 4;
    int data[N] = {}, sum = 0, rounds = 0;
    std::latch ready(N), go(1);
    std::barrier b(N, [&]() noexcept {
        sum = 0;
        for (int d : data)
            sum += d;
        rounds++;
    });
    std::counting_semaphore<2> slots(2);
    std::binary_semaphore bin(1);
    int guarded = 0;
    std::vector<std::jthread> ts;
    for (int i = 0; i < N; i++)
        ts.emplace_back([&, i] {
            ready.count_down();
            go.wait();
            for (int r = 0; r < 20; r++) {
                data[i] += r;
                b.arrive_and_wait();
                volatile int s = sum;
                (void)s;
                b.arrive_and_wait();
            }
            slots.acquire();
            bin.acquire();
            guarded++;
            bin.release();
            slots.release();
        });
    ready.wait();
    go.count_down();
    ts.clear();
    return guarded != N || rounds != 40;
}
