// A stream is closed by one thread while another may still write to it.
// event: close() before call Log::close
// event: write() before call Log::write
// property: open_when_written: never write after close
// fails: open_when_written
#include <fstream>
#include <mutex>
#include <thread>

class Log {
public:
    explicit Log(const char *name) : out_(name) {}
    void write(const char *text) {
        std::lock_guard<std::mutex> guard(mutex_);
        out_ << text;
    }
    void close() {
        std::lock_guard<std::mutex> guard(mutex_);
        out_.close();
    }

private:
    std::mutex mutex_;
    std::ofstream out_;
};

int main() {
    Log log("/dev/null");
    std::thread writer([&] { log.write("hello"); });
    log.close();
    writer.join();
}
