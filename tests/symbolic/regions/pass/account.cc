// flags: --atomic Account::transfer
// A transfer that holds the locks of both accounts.
#include <mutex>
#include <thread>

struct Account {
    std::mutex m;
    int balance = 100;

    void transfer(Account &to, int amount) {
        std::scoped_lock lock(m, to.m);
        balance -= amount;
        to.balance += amount;
    }
};

Account a, b;

int main() {
    std::thread one([] { a.transfer(b, 10); });
    std::thread other([] { b.transfer(a, 20); });
    one.join();
    other.join();
}
