// An observer is told of a change after it has left the list.
// event: leave(#1) after call Subject::leave
// event: told(#0) before call Observer::changed
// property: told_while_there: never told(o) after leave(o)
// fails: told_while_there
// flags: -std=c++20
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

struct Observer {
    void changed() { seen++; }
    std::atomic<int> seen{0};
};
class Subject {
public:
    void enter(Observer *observer) {
        std::lock_guard<std::mutex> guard(mutex_);
        all_.push_back(observer);
    }
    void leave(Observer *observer) {
        std::lock_guard<std::mutex> guard(mutex_);
        std::erase(all_, observer);
    }
    void tell() {
        std::vector<Observer *> copy;
        {
            std::lock_guard<std::mutex> guard(mutex_);
            copy = all_;
        }
        for (Observer *observer : copy)
            observer->changed();
    }

private:
    std::mutex mutex_;
    std::vector<Observer *> all_;
};

int main() {
    Subject subject;
    Observer observer;
    subject.enter(&observer);
    std::thread teller([&] { subject.tell(); });
    // In the recorded run the teller has told by then.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    subject.leave(&observer);
    teller.join();
}
