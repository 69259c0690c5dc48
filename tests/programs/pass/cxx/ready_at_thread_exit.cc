#include <future>
#include <string>
#include <thread>
// A result that the library makes ready in its own code, when the thread that has set it ends.
int main() {
    std::promise<std::string> promise;
    std::future<std::string> future = promise.get_future();
    std::string log;
    std::thread thread([&] {
        promise.set_value_at_thread_exit("result");
        log = "set";
    });
    std::string result = future.get();
    thread.join();
    return result == "result" && log == "set" ? 0 : 1;
}
