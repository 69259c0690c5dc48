#include <atomic>
#include <thread>
#include <cstring>
#include <unistd.h>
static std::atomic<unsigned> seq{0};
static char data[32];
static char out[32];
int main() {
    std::thread w([] {
        for (int i = 1; i < 20; i++) {
            seq.fetch_add(1);
            memset(data, i, 32); // expect: race with line 21
            seq.fetch_add(1);
        }
    });
    usleep(20000);
    std::thread r([] {
        unsigned a, b;
        do {
            a = seq.load();
            memcpy(out, data, 32);
            b = seq.load();
        } while (a != b || a & 1);
    });
    w.join();
    r.join();
    return out[0] != out[31];
}
