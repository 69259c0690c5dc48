#include <atomic>
#include <thread>
#include <unistd.h>
struct Conf {
    int a, b;
};
static std::atomic<Conf *> conf{new Conf{1, 1}};
int main() {
    int s = 0;
    std::thread r([&] {
        for (int i = 0; i < 10; i++) {
            Conf *c = conf.load();
            s += c->a + c->b; // expect: race with line 17
        }
    });
    usleep(20000);
    delete conf.exchange(new Conf{2, 2});
    r.join();
    delete conf.load();
    return s != 20;
}
