#include <atomic>
#include <thread>
#include <vector>
#include <mutex>
// RCU-like: readers announce an epoch, the writer waits until none is in an old one
struct Conf {
    int a, b;
};
static std::atomic<Conf *> conf{new Conf{1, 1}};
static std::atomic<unsigned> epoch{2};
static std::atomic<unsigned> reader[2];
static void read(int i) {
    reader[i].store(epoch.load()); // seq_cst
    Conf *c = conf.load();
    if (c->a != c->b)
        abort();
    reader[i].store(0);
}
static void update(int v) {
    Conf *n = new Conf{v, v}, *old = conf.exchange(n);
    unsigned e = epoch.fetch_add(1);
    for (auto &r : reader)
        for (;;) {
            unsigned x = r.load();
            if (x == 0 || x > e)
                break;
            std::this_thread::yield();
        }
    delete old;
}
int main() {
    std::thread a([] {
        for (int i = 0; i < 30; i++)
            read(0);
    }),
        b([] {
            for (int i = 0; i < 30; i++)
                read(1);
        });
    for (int i = 2; i < 12; i++)
        update(i);
    a.join();
    b.join();
    delete conf.load();
}
