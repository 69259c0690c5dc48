#include <new>
#include <semaphore.h>
#include <thread>
// The object is torn down while a thread still calls a virtual function of it: the vptr is written and read.
static sem_t started;
struct Base {
    virtual int work() { return 1; }
    virtual ~Base() { last = work(); }
    int last = 0;
};
struct Derived : Base {
    int work() override { return 2; }
    ~Derived() override { last = work(); }
};
int main() {
    sem_init(&started, 0, 0);
    alignas(Derived) static char room[sizeof(Derived)];
    Base *object = new (room) Derived;
    int got = 0;
    std::thread a([&] {
        sem_post(&started);
        got = object->work(); // expect: race with line 26 at -O0
    });
    sem_wait(&started);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    object->~Base();
    a.join();
    return got == 0;
}
