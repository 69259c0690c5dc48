// An initialiser throws through two calls; the outer one is run again, and the inner by it.
// t0: start; fork t1; join t1; fork t2; join t2; exit 0
// t1: start; once_run o; once_run o2; once_abort o2; once_abort o; end
// t2: start; once_run o; once_run o2; once_done o2; once_done o; end
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag outer, inner;
static int attempts;

static void initialise() {
    if (++attempts == 1)
        throw std::runtime_error("not yet");
}

static void work() {
    try {
        std::call_once(outer, [] { std::call_once(inner, initialise); });
    } catch (const std::runtime_error &) {
    }
}

int main() {
    std::thread(work).join();
    std::thread(work).join();
    return attempts != 2;
}
