#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
#include <atomic>
class Pool {
    std::vector<std::thread> ws;
    std::queue<std::function<void()>> q;
    std::mutex m;
    std::condition_variable cv;
    bool stop = false;

  public:
    explicit Pool(int n) {
        for (int i = 0; i < n; i++)
            ws.emplace_back([this] { run(); });
    }
    void run() {
        for (;;) {
            std::function<void()> f;
            {
                std::unique_lock<std::mutex> l(m);
                cv.wait(l, [this] { return stop || !q.empty(); });
                if (q.empty())
                    return;
                f = std::move(q.front());
                q.pop();
            }
            f();
        }
    }
    void add(std::function<void()> f) {
        {
            std::lock_guard<std::mutex> l(m);
            q.push(std::move(f));
        }
        cv.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> l(m);
            stop = true;
        }
        cv.notify_all();
        for (auto &t : ws)
            t.join();
    }
};
static std::once_flag once;
static int config;
int main() {
    std::vector<long> results(50);
    std::atomic<int> left{50};
    {
        Pool p(3);
        for (int i = 0; i < 50; i++)
            p.add([i, &results, &left] {
                std::call_once(once, [] { config = 3; });
                results[i] = i * config;
                left.fetch_sub(1, std::memory_order_relaxed);
            });
    }
    long s = 0;
    for (auto r : results)
        s += r;
    return s != 3675 || left != 0;
}
