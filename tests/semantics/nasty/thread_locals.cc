// Thread-local objects whose destructors lock and start threads.
#include "nasty.h"
#include <mutex>
#include <thread>

static std::mutex guard;

struct Local {
    int value = 1;
    ~Local() {
        std::thread([] {
            std::lock_guard<std::mutex> held(guard);
            nasty_count++;
        }).join();
    }
};
static thread_local Local local;

int main() {
    events();
    for (int i = 0; i < 10; i++)
        std::thread([] { local.value++; }).join();
    say("destroyed");
}
