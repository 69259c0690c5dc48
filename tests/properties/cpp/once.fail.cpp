// A table is filled when it is first needed, by whoever finds it empty.
// event: filled() after call fill
// property: filled_once: never filled after filled
// fails: filled_once
#include <atomic>
#include <thread>

static std::atomic<bool> is_filled{false};
static void fill() {}
static void need() {
    if (!is_filled.load()) {
        fill();
        is_filled.store(true);
    }
}

int main() {
    std::thread other(need);
    need();
    other.join();
}
