// Looking at a balance and changing it are one thing each, a withdrawal is not.
// event: enter before body Account::withdraw
// event: exit after body Account::withdraw
// event: load(#0) before call Account::balance
// event: store(#0) before call Account::set
// property: whole: serialisable load(v), store(v) in enter ... exit
// fails: whole
#include <mutex>
#include <thread>

class Account {
public:
    int balance() {
        std::lock_guard<std::mutex> guard(mutex_);
        return balance_;
    }
    void set(int balance) {
        std::lock_guard<std::mutex> guard(mutex_);
        balance_ = balance;
    }
    void withdraw(int sum) {
        int before = balance();
        set(before - sum);
    }

private:
    std::mutex mutex_;
    int balance_ = 100;
};

int main() {
    Account account;
    std::thread other([&] { account.withdraw(10); });
    account.withdraw(20);
    other.join();
}
