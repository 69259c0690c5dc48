// A logger with a background thread that writes what others have put in. Stopping it sets a plain bool outside the lock.
// The race is benign until the compiler moves the read out of the loop, and then the logger never stops.
//
// The fix: make the flag atomic (compile with -DFIXED).
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

class Logger {
public:
    Logger() : thread_([this] { run(); }) {}

    ~Logger() {
        stopping_ = true;
        log("");
        thread_.join();
    }

    void log(std::string line) {
        std::lock_guard<std::mutex> guard(mutex_);
        lines_.push_back(std::move(line));
        changed_.notify_one();
    }

private:
    void run() {
        while (!stopping_) {
            std::unique_lock<std::mutex> guard(mutex_);
            changed_.wait(guard, [this] { return !lines_.empty(); });
            lines_.pop_front();
            written_++;
        }
    }

#ifdef FIXED
    std::atomic<bool> stopping_{false};
#else
    bool stopping_ = false;
#endif
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> lines_;
    int written_ = 0;
    std::thread thread_;
};

int main() {
    {
        Logger logger;
        logger.log("hello");
        logger.log("world");
    }
    std::puts("stopped");
}
