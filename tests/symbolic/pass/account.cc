// One method does both.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
    std::mutex mutex;
    int balance = 50;

public:
    void take(int amount) {
        std::lock_guard guard(mutex);
        if (balance >= amount)
            balance -= amount;
        assert(balance >= 0);
    }
};

Account account;

static void spend() { account.take(30); }

int main() {
    std::thread first(spend), second(spend);
    first.join();
    second.join();
}
