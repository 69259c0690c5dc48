// Exceptions, thread-local storage, statics that are made once, and the library's own threads.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static thread_local int own;
static std::mutex lock;
static int caught;

static std::vector<int> &table() {
    static std::vector<int> made(4, 1);
    return made;
}

static void work(int number) {
    own = number;
    try {
        if (table()[0] == 1)
            throw std::runtime_error("expected");
    } catch (const std::runtime_error &) {
        std::lock_guard<std::mutex> guard(lock);
        caught += own;
    }
}

int main() {
    std::thread one(work, 1), two(work, 2);
    one.join();
    two.join();
    return caught == 3 ? 0 : 1;
}
