#include <future>
#include <thread>
// The library makes the result ready when the thread has ended: whoever gets it comes after what the thread's destructors do.
static int last_words;
struct Farewell {
    int words = 0;
    ~Farewell() { last_words = words; }
};
static thread_local Farewell farewell;
int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread([](std::promise<int> result) {
        farewell.words = 2;
        result.set_value_at_thread_exit(40);
    }, std::move(promise)).detach();
    return future.get() + last_words != 42;
}
