#include <future>
#include <thread>
static int data;
int main() {
    std::promise<int> promise;
    std::thread a([&] {
        data = 7;
        promise.set_value(1);
    });
    int got = promise.get_future().get();
    int seen = data;
    a.join();
    return got + seen != 8;
}
