// events: any
// flags: -std=c++17
// Tasks, promises and futures.
#include <future>
#include <thread>

static int data;

int main() {
    auto answer = std::async(std::launch::async, [] {
        data = 42;
        return 1;
    });
    std::promise<int> promise;
    std::thread thread([&] { promise.set_value(7); });
    int handed_over = promise.get_future().get();
    thread.join();
    return answer.get() + handed_over < 1;
}
