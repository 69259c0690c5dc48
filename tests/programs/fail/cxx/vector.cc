#include <thread>
#include <vector>
static std::vector<int> values;
int main() {
    values.reserve(16);
    std::thread a([] { values.push_back(1); }); // expect: race with line 8
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::thread b([] { values.push_back(2); });
    a.join();
    b.join();
    return values.empty();
}
