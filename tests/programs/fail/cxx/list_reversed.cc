#include <chrono>
#include <list>
#include <thread>
// Only the library's own code touches the nodes: one thread turns the list round, the other moves one of its nodes.
static std::list<int> numbers{1, 2, 3};
int main() {
    std::thread turner([] { numbers.reverse(); }); // expect: race with line 10
    std::thread mover([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        numbers.splice(numbers.begin(), numbers, std::prev(numbers.end()));
    });
    turner.join();
    mover.join();
    return numbers.size() != 3;
}
