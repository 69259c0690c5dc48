#include "../../program.h"
#include <thread>
// A static object is destroyed while a detached thread may still use it.
struct Log {
    int lines = 0;
    ~Log() { if (lines > 1) abort(); } // expect: race with line 10
};
static Log logger;
int main() {
    std::thread([] { logger.lines++; }).detach();
    return 0;
}
