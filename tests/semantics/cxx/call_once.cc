// An initialiser of call_once that throws is run again by the next.
// t0: start; fork t1; join t1; fork t2; join t2; fork t3; join t3; exit 0
// t1: start; once_run o; once_abort o; end
// t2: start; once_run o; once_done o; end
// t3: start; once_pass o; end
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int attempts;

static void initialise() {
    if (++attempts == 1)
        throw std::runtime_error("not yet");
}

static void work() {
    try {
        std::call_once(flag, initialise);
    } catch (const std::runtime_error &) {
    }
}

int main() {
    for (int i = 0; i < 3; i++)
        std::thread(work).join();
    return attempts != 2;
}
