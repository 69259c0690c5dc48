#include <chrono>
#include <mutex>
#include <thread>
#include <vector>
// A static vector is destroyed while a detached thread may still append to it. However many of its parts are touched, the
// vector is one finding, and the block that it frees another.
static std::vector<int> lines;
static std::mutex mutex;
int main() {
    std::thread([] {
        for (int i = 0; i < 3; i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            std::lock_guard<std::mutex> guard(mutex);
            lines.push_back(i); // expect: race
        }
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}
