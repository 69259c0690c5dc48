#include <thread>
#include <vector>
#include <unistd.h>
// the destructor of the thread_local adds to a global without a lock
static int total;
struct Local {
    int n = 0;
    ~Local() {
        total += n; // expect: race with line 9
    }
};
static thread_local Local local;
int main() {
    std::thread a([] { local.n = 3; });
    usleep(10000);
    std::thread b([] { local.n = 4; });
    a.join();
    b.join();
    return total != 7;
}
