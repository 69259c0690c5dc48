#include <mutex>
#include <thread>
#include "../../program.h"
// Locks in opposite orders behind a function-local static: the replay has to get past the static.
struct Table {
    int cells[4];
    Table() { for (int i = 0; i < 4; i++) cells[i] = i * i; }
};
static const Table &table() {
    static Table one;
    return one;
}
static std::mutex a, b;
static int sum;
static void forward() {
    int cell = table().cells[1];
    std::lock_guard first(a);
    std::lock_guard second(b); // expect: deadlock
    sum += cell;
}
static void backward() {
    let_others_run();
    int cell = table().cells[2];
    std::lock_guard first(b);
    std::lock_guard second(a); // expect: deadlock
    sum += cell;
}
int main() {
    std::thread one(forward), two(backward);
    one.join();
    two.join();
    return 0;
}
