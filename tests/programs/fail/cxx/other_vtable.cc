#include "../../program.h"
// The destructor of the base class waits for the thread: the object is no longer what the thread takes it for.
struct Base {
    pthread_t thread;
    static void *run(void *self) {
        static_cast<Base *>(self)->answer(); // expect: race with line 11
        return nullptr;
    }
    void start() { pthread_create(&thread, nullptr, run, this); }
    virtual int answer() { return 1; }
    virtual ~Base() { pthread_join(thread, nullptr); }
};
struct Worker : Base {
    int answer() override { return 2; }
};
int main() {
    Worker *worker = new Worker;
    worker->start();
    delete worker;
    return 0;
}
