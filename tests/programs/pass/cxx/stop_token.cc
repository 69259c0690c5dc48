#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
static std::mutex m;
static std::condition_variable_any cv;
static int jobs, finished;
int main() {
    int cleaned = 0;
    {
        std::jthread w([](std::stop_token st) {
            std::unique_lock<std::mutex> l(m);
            while (cv.wait(l, st, [] { return jobs > 0; })) {
                jobs--;
                finished++;
            }
        });
        std::stop_callback cb(w.get_stop_token(), [&] { cleaned = 1; });
        for (int i = 0; i < 20; i++) {
            std::lock_guard<std::mutex> l(m);
            jobs++;
            cv.notify_one();
        }
        for (;;) {
            std::lock_guard<std::mutex> l(m);
            if (finished == 20)
                break;
            std::this_thread::yield();
        }
        w.request_stop();
    }
    return finished != 20 || cleaned != 1;
}
