#include <thread>
#include <vector>
// The loop's variable is captured by reference. Threads that find the same value in it count in the same place.
int main() {
    std::vector<std::thread> threads;
    int sum[4] = {};
    for (int i = 0; i < 2; i++) { // expect: race with line 8
        threads.emplace_back([&i, &sum] { sum[i & 3]++; }); // expect: race with line 8
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (auto &thread : threads)
        thread.join();
    return 0;
}
