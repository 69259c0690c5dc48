// Two threads prepare a table: one fills it, and the other one marks it as ready without waiting for that.
// event: filled(#0) after call fill
// event: marked(#0) after call mark
// property: filled_while_marked: never filled(t) after marked(t)
// fails: filled_while_marked
#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<bool> is_marked{false};
static void fill(int) {}
static void mark(int) { is_marked.store(true); }

int main() {
    // In the recorded run the other thread has filled the table by the time it is marked.
    std::thread other([] { fill(1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    mark(1);
    other.join();
}
