#include <mutex>
#include <thread>
static std::once_flag flag;
static int value;
static int get() {
    std::call_once(flag, [] { value = 3; });
    return value;
}
int main() {
    int one = 0, two = 0;
    std::thread a([&one] { one = get(); }), b([&two] { two = get(); });
    a.join();
    b.join();
    return one + two != 6;
}
