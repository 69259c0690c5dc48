#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
// producer, workers, a writer that puts the blocks in order
struct Block {
    int n;
    std::string data;
};
static std::mutex m, om;
static std::condition_variable notEmpty, notFull, outReady;
static std::deque<Block *> fifo;
static bool done;
static std::vector<Block *> output(40);
static void producer() {
    for (int i = 0; i < 40; i++) {
        auto *b = new Block{i, std::string(50, char('a' + i % 26))};
        std::unique_lock<std::mutex> l(m);
        notFull.wait(l, [] { return fifo.size() < 4; });
        fifo.push_back(b);
        notEmpty.notify_one();
    }
    std::lock_guard<std::mutex> l(m);
    done = true;
    notEmpty.notify_all();
}
static void worker() {
    for (;;) {
        Block *b;
        {
            std::unique_lock<std::mutex> l(m);
            notEmpty.wait(l, [] { return !fifo.empty() || done; });
            if (fifo.empty())
                return;
            b = fifo.front();
            fifo.pop_front();
            notFull.notify_one();
        }
        std::string z;
        char last = 0;
        int run = 0;
        for (char c : b->data) {
            if (c != last) {
                if (run)
                    z += last + std::to_string(run);
                last = c;
                run = 0;
            }
            run++;
        }
        b->data = z + last + std::to_string(run);
        std::lock_guard<std::mutex> l(om);
        output[b->n] = b;
        outReady.notify_one();
    }
}
static size_t bytes;
static void writer() {
    for (int i = 0; i < 40; i++) {
        std::unique_lock<std::mutex> l(om);
        while (!output[i])
            outReady.wait(l);
        Block *b = output[i];
        l.unlock();
        bytes += b->data.size();
        delete b;
    }
}
int main() {
    std::thread p(producer), w(writer);
    std::vector<std::thread> ws;
    for (int i = 0; i < 3; i++)
        ws.emplace_back(worker);
    p.join();
    for (auto &t : ws)
        t.join();
    w.join();
    printf("%zu\n", bytes);
    return bytes != 40 * 3;
}
