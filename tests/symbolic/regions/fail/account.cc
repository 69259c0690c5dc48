// flags: --atomic Account::transfer
// A transfer between two accounts, each with a lock of its own, which nobody should see half done.
#include <mutex>
#include <thread>

struct Account {
    std::mutex m;
    int balance = 100;

    int get() {
        std::lock_guard<std::mutex> lock(m);
        return balance; // expect: atomicity-violation
    }

    void set(int value) {
        std::lock_guard<std::mutex> lock(m);
        balance = value;
    }

    void transfer(Account &to, int amount) {
        set(get() - amount);
        to.set(to.get() + amount);
    }
};

Account a, b;

int main() {
    std::thread one([] { a.transfer(b, 10); });
    std::thread other([] { b.transfer(a, 20); });
    one.join();
    other.join();
}
