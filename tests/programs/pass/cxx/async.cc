#include <future>
static int data;
int main() {
    auto one = std::async(std::launch::async, [] {
        data = 4;
        return 1;
    });
    int got = one.get();
    data++;
    return data + got != 6;
}
