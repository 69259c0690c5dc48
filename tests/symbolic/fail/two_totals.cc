// Totals of two counters are compared while one of them is behind.
#include <cassert>
#include <mutex>
#include <thread>

template <class T> class Guarded {
    std::mutex mutex;
    T value{};

public:
    template <class F> auto with(F work) {
        std::lock_guard guard(mutex);
        return work(value);
    }
};

struct Totals {
    int in = 0, out = 0;
};

Guarded<Totals> totals;

int main() {
    std::thread mover([] {
        totals.with([](Totals &all) { return all.in += 3; });
        totals.with([](Totals &all) { return all.out += 3; });
    });
    std::thread auditor([] {
        int difference = totals.with([](Totals &all) { return all.in - all.out; });
        assert(difference == 0); // expect: crash
    });
    mover.join();
    auditor.join();
}
