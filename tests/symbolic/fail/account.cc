// A method checks, another one withdraws, and only each of them is exclusive.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
    std::mutex mutex;
    int balance = 50;

public:
    bool has(int amount) {
        std::lock_guard guard(mutex);
        return balance >= amount;
    }
    void take(int amount) {
        std::lock_guard guard(mutex);
        balance -= amount;
        assert(balance >= 0); // expect: crash
    }
};

Account account;

static void spend() {
    if (account.has(30))
        account.take(30);
}

int main() {
    std::thread first(spend), second(spend);
    first.join();
    second.join();
}
