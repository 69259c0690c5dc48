#include <mutex>
#include <thread>
// A race behind a function-local static that both threads come to: the replay has to get past the static.
struct Table {
    int cells[4];
    Table() { for (int i = 0; i < 4; i++) cells[i] = i * i; }
};
static Table &table() {
    static Table one;
    return one;
}
static std::mutex m;
static int sum;
static void work(int times) {
    int cell = table().cells[times];
    {
        std::lock_guard lock(m);
        sum += cell;
    }
    if (times == 1)
        table().cells[3]++; // expect: race with line 24
    else {
        std::lock_guard lock(m);
        sum += table().cells[3];
    }
}
int main() {
    std::thread one(work, 1), two(work, 2);
    one.join();
    two.join();
    return 0;
}
