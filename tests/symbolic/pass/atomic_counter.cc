// One operation.
#include <cassert>
#include <mutex>
#include <thread>

#include <atomic>

std::atomic<long> counter{0};

int main() {
    auto count = [] { counter += 2; };
    std::thread first(count), second(count);
    first.join();
    second.join();
    assert(counter == 4);
}
