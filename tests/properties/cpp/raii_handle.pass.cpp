// The writer is joined before the handle is closed.
// event: open(#0) after body Handle::Handle
// event: close(#0) before body Handle::~Handle
// event: use(#0) before call Handle::write
// property: used_open: never use(h) after close(h)
#include <atomic>
#include <new>
#include <thread>

class Handle {
public:
    Handle() = default;
    ~Handle() { written_ = -1; }
    void write(int bytes) { written_ += bytes; }

private:
    std::atomic<int> written_{0};
};

int main() {
    static Handle *shared;
    std::thread writer;
    alignas(Handle) static unsigned char room[sizeof(Handle)];
    shared = new (room) Handle;
    writer = std::thread([] { shared->write(3); });
    writer.join();
    shared->~Handle();
}
