#include <cstdio>
#include <mutex>
#include <thread>
// A function-local static that two threads come to.
struct Table {
    int cells[4];
    Table() { for (int i = 0; i < 4; i++) cells[i] = i * i; }
};
static const Table &table() {
    static Table one;
    return one;
}
static std::mutex m;
static int sum;
static void work() {
    for (int i = 0; i < 3; i++) {
        int cell = table().cells[i];
        std::lock_guard lock(m);
        sum += cell;
    }
}
int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    return sum != 10;
}
