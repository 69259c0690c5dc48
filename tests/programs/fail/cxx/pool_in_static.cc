#include <thread>
// The first thread is created while a function-local static is initialised.
int jobs;
struct Pool {
    std::thread worker{[] {
        jobs = 1; // expect: race with line 15
    }};
};
static Pool &pool() {
    static Pool only;
    return only;
}
int main() {
    Pool &only = pool();
    jobs = 2;
    only.worker.join();
    return 0;
}
