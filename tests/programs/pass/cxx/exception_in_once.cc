#include <mutex>
#include <stdexcept>
#include <thread>
static std::once_flag flag;
static int tries;
static void init() {
    if (++tries == 1)
        throw std::runtime_error("not yet");
}
static void attempt() {
    try {
        std::call_once(flag, init);
    } catch (const std::runtime_error &) {
    }
}
int main() {
    std::thread a(attempt);
    a.join();
    std::thread b(attempt);
    b.join();
    return tries != 2;
}
