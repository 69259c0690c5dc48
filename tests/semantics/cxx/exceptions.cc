// Exceptions pass through instrumented code, and guards unlock on their way.
// t0: start; fork t1; join t1; exit 0
// t1: start; lock m; lock m2; unlock m2; unlock m; end
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex outer, inner;

static void fail() {
    std::lock_guard<std::mutex> guard(inner);
    throw std::runtime_error("thrown");
}

static void work() {
    std::lock_guard<std::mutex> guard(outer);
    try {
        fail();
    } catch (const std::runtime_error &) {
    }
}

int main() {
    std::thread(work).join();
    return 0;
}
