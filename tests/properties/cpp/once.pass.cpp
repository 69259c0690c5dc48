// A table is filled when it is first needed, once.
// event: filled() after call fill
// property: filled_once: never filled after filled
#include <mutex>
#include <thread>

static std::once_flag once;
static void fill() {}
static void need() { std::call_once(once, [] { fill(); }); }

int main() {
    std::thread other(need);
    need();
    other.join();
}
