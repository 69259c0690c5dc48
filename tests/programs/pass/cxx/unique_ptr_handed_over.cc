#include <memory>
#include <mutex>
#include <thread>
struct job { int state = 0; };
static std::mutex m;
static std::unique_ptr<job> slot;
int main() {
    std::thread a([] {
        auto made = std::make_unique<job>();
        made->state = 1;
        std::lock_guard<std::mutex> lock(m);
        slot = std::move(made);
    });
    std::thread b([] {
        std::unique_ptr<job> taken;
        {
            std::lock_guard<std::mutex> lock(m);
            taken = std::move(slot);
        }
        if (taken)
            taken->state++;
    });
    a.join();
    b.join();
}
