// An exception that nobody catches leaves a thread.
#include "nasty.h"
#include <stdexcept>
#include <thread>

int main() {
    events();
    say("throwing");
    std::thread thread([] { throw std::runtime_error("nobody catches this"); });
    thread.join();
}
