// Two threads append to one string; what changes it is in the library's own code. (In the recorded run they do so one after
// the other: at once, they may well free the old text twice.)
#include "../../program.h"
#include <string>
#include <thread>

static std::string shared = "a string that is too long to be kept in place";

int main() {
    std::thread a([] {
        shared.append("more"); // expect: race with line 15
    });
    std::thread b([] {
        let_others_run();
        shared += "less";
    });
    a.join();
    b.join();
    return shared.empty();
}
