#include <thread>
struct Table {
    int sizes[4];
    Table() { sizes[0] = 1; }
};
static Table &table() {
    static Table one;
    return one;
}
int main() {
    int x = 0, y = 0;
    std::thread a([&x] { x = table().sizes[0]; }), b([&y] { y = table().sizes[0]; });
    a.join();
    b.join();
    return x + y != 2;
}
