// The result is taken after the task has ended.
// event: filled() after call fill
// event: looked() before call look
// property: filled_first: filled before looked
#include <atomic>
#include <future>

static std::atomic<int> cache{0};
static void fill() { cache = 42; }
static int look() { return cache; }

int main() {
    std::future<void> task = std::async(std::launch::async, [] { fill(); });
    task.get();
    int seen = look();
    return seen > 42;
}
