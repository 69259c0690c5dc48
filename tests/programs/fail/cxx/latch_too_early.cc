#include <latch>
#include <thread>
#include <vector>
// the latch is counted down before the result is written
int main() {
    std::vector<int> results(3);
    std::latch done(3);
    std::vector<std::jthread> ts;
    for (int i = 0; i < 3; i++)
        ts.emplace_back([&, i] {
            done.count_down();
            results[i] = i + 1; // expect: race with line 17
        });
    done.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    int s = 0;
    for (int r : results)
        s += r;
    return s > 100;
}
