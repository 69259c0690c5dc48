// A stream of the program's own may not be written to by two threads at once.
#include <sstream>
#include <thread>

static std::ostringstream out;

int main() {
    std::thread a([] {
        out << 1; // expect: race with line 12
    });
    std::thread b([] {
        out << "two";
    });
    a.join();
    b.join();
    return out.str().empty();
}
