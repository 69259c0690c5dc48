#include "../../program.h"
// A destructor stores the pointer to the table of virtual functions that is there already, while another thread calls one.
struct Base {
    virtual ~Base() {}
    virtual int answer() { return 1; }
};
struct Worker : Base {
    pthread_t thread;
    static void *run(void *self) { return reinterpret_cast<void *>(static_cast<Worker *>(self)->answer() - 2L); }
    void start() { pthread_create(&thread, nullptr, run, this); }
    int answer() override { return 2; }
    ~Worker() override {
        void *result;
        pthread_join(thread, &result);
        if (result)
            abort();
    }
};
int main() {
    for (int i = 0; i < 2; i++) {
        Worker *worker = new Worker;
        worker->start();
        delete worker;
    }
    return 0;
}
