// Brings operator new and delete of its own.
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

static int balance;
static std::mutex mutex;

void *operator new(std::size_t size) {
    std::lock_guard<std::mutex> guard(mutex);
    balance++;
    return std::malloc(size);
}

void operator delete(void *block) noexcept {
    std::lock_guard<std::mutex> guard(mutex);
    balance--;
    std::free(block);
}

void operator delete(void *block, std::size_t) noexcept { operator delete(block); }

int main() {
    std::thread thread([] { std::vector<int> numbers(1000); });
    thread.join();
    return balance < 0;
}
