#include <thread>
#include <vector>
// The loop's variable is captured by reference.
int main() {
    std::vector<std::thread> threads;
    int seen[2] = {};
    for (int i = 0; i < 2; i++) { // expect: race with line 8
        threads.emplace_back([&i, mine = &seen[i]] { *mine = i; });
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (auto &thread : threads)
        thread.join();
    return seen[0] + seen[1] <= 4 ? 0 : 1;
}
