#include <chrono>
#include <thread>
#include <future>
static int data;
int main() {
    auto one = std::async(std::launch::async, [] { data = 4; }); // expect: race with line 8
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    data++;
    one.get();
    return 0;
}
