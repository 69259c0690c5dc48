#include <mutex>
#include <thread>
#include <unistd.h>
// The thread is joined under the lock that it takes once more before it ends.
struct Service {
    std::mutex m;
    bool quit = false;
    int beats = 0;
    std::thread t;
    void loop() {
        for (int i = 0; i < 5; i++) {
            {
                std::lock_guard<std::mutex> l(m);
                beats++;
                if (quit)
                    return;
            }
            usleep(1000);
        }
    }
    void start() {
        t = std::thread([this] { loop(); });
    }
    void stop() {
        std::lock_guard<std::mutex> l(m);
        quit = true;
        t.join(); // expect: deadlock
    }
};
int main() {
    Service s;
    s.start();
    usleep(60000);
    s.stop();
    return s.beats == 0;
}
