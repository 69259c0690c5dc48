// A static is initialised by the first that comes by; an initialiser that throws leaves it to the next.
// t0: start; fork t1; join t1; fork t2; join t2; fork t3; join t3; exit 0
// t1: start; aload a u8 acquire 0; once_run a; once_abort a; end
// t2: start; aload a u8 acquire 0; once_run a; once_done a; astore a u8 release 1; end
// t3: start; aload a u8 acquire 1; end
#include <stdexcept>
#include <thread>

static int attempts;

struct Fragile {
    Fragile() {
        if (++attempts == 1)
            throw std::runtime_error("not yet");
    }
};

static Fragile &fragile() {
    static Fragile it;
    return it;
}

static void work() {
    try {
        fragile();
    } catch (const std::runtime_error &) {
    }
}

int main() {
    for (int i = 0; i < 3; i++)
        std::thread(work).join();
    return attempts != 2;
}
