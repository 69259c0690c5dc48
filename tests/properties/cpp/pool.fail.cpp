// A pool hands a connection out twice: it looks and takes in two critical sections.
// event: acquire(#return) after call Pool::acquire
// event: release(#1) before call Pool::release
// property: one_user: at most one holder of acquire(c) until release(c)
// fails: one_user
#include <array>
#include <chrono>
#include <mutex>
#include <thread>

class Pool {
public:
    int acquire() {
        int connection = 0;
        {
            std::lock_guard<std::mutex> guard(mutex_);
            while (connection < 1 && used_[connection])
                connection++;
        }
        std::lock_guard<std::mutex> guard(mutex_);
        used_[connection] = true;
        return connection;
    }
    void release(int connection) {
        std::lock_guard<std::mutex> guard(mutex_);
        used_[connection] = false;
    }

private:
    std::mutex mutex_;
    std::array<bool, 2> used_{};
};

static Pool pool;
static void work() {
    int connection = pool.acquire();
    pool.release(connection);
}

int main() {
    std::thread other(work);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    work();
    other.join();
}
