#include <chrono>
#include <thread>
struct job { int state = 0; };
job *current = new job;
int main() {
    std::thread a([] { current->state = 1; }); // expect: race with line 9
    std::thread b([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        delete current;
    });
    a.join();
    b.join();
}
