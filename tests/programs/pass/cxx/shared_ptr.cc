#include <memory>
#include <thread>
static int destroyed;
struct Thing {
    int value = 3;
    ~Thing() { destroyed++; }
};
int main() {
    int sum = 0;
    {
        auto thing = std::make_shared<Thing>();
        int one = 0, two = 0;
        std::thread a([thing, &one] { one = thing->value; });
        std::thread b([thing, &two] { two = thing->value; });
        thing.reset();
        a.join();
        b.join();
        sum = one + two;
    }
    return sum != 6 || destroyed != 1;
}
