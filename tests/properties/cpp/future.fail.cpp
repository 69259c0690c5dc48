// The result is taken from a cache that a task fills, without waiting for the task.
// event: filled() after call fill
// event: looked() before call look
// property: filled_first: filled before looked
// fails: filled_first
#include <atomic>
#include <future>

static std::atomic<int> cache{0};
static void fill() { cache = 42; }
static int look() { return cache; }

int main() {
    std::future<void> task = std::async(std::launch::async, [] { fill(); });
    int seen = look();
    task.get();
    return seen > 42;
}
