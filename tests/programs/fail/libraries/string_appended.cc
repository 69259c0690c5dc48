// Two threads append to one string; what changes it is in the library's own code.
#include <string>
#include <thread>

static std::string shared = "a string that is too long to be kept in place";

int main() {
    std::thread a([] {
        shared.append("more"); // expect: race with line 12
    });
    std::thread b([] {
        shared += "less";
    });
    a.join();
    b.join();
    return shared.empty();
}
