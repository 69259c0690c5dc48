// Whoever wants a connection waits for it.
// event: acquire(#return) after call Pool::acquire
// event: release(#1) before call Pool::release
// property: one_user: at most one holder of acquire(c) until release(c)
#include <condition_variable>
#include <mutex>
#include <thread>

class Pool {
public:
    int acquire() {
        std::unique_lock<std::mutex> guard(mutex_);
        while (used_)
            free_.wait(guard);
        used_ = true;
        return 0;
    }
    void release(int) {
        std::lock_guard<std::mutex> guard(mutex_);
        used_ = false;
        free_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable free_;
    bool used_ = false;
};

static Pool pool;
static void work() {
    int connection = pool.acquire();
    pool.release(connection);
}

int main() {
    std::thread other(work);
    work();
    other.join();
}
