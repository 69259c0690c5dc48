#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<int> values;
static void add(int n) {
    std::lock_guard<std::mutex> guard(m);
    values.push_back(n);
}
int main() {
    std::thread a(add, 1), b(add, 2);
    a.join();
    b.join();
    return values.size() != 2;
}
