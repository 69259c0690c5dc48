#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
// the sender keeps a pointer and counts after the hand-over
struct Msg {
    int id;
    int tries = 0;
};
static std::deque<std::shared_ptr<Msg>> q;
static std::mutex m;
static std::condition_variable cv;
int main() {
    std::thread tx([] {
        for (int i = 0; i < 10; i++) {
            auto p = std::make_shared<Msg>();
            p->id = i;
            {
                std::lock_guard<std::mutex> l(m);
                q.push_back(p);
            }
            cv.notify_one();
            p->tries++; // expect: race with line 37
        }
    });
    std::thread rx([] {
        int s = 0;
        for (int i = 0; i < 10; i++) {
            std::unique_lock<std::mutex> l(m);
            cv.wait(l, [] { return !q.empty(); });
            auto p = q.front();
            q.pop_front();
            l.unlock();
            usleep(500);
            s += p->tries;
        }
        volatile int k = s;
        (void)k;
    });
    tx.join();
    rx.join();
}
