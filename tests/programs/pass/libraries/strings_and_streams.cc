// Strings that are only read, strings and streams under a lock, and the standard streams, which any thread may use.
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static const std::string shared = "a string that is too long to be kept in place";
static std::mutex mutex;
static std::ostringstream out;
static std::string guarded;
static std::map<std::string, int> counts;

static void work(int number) {
    std::string own = shared + std::to_string(number);
    if (own.find("long") == std::string::npos || shared.compare(own) == 0) return;
    std::cout << own << ' ' << number << '\n';
    std::lock_guard<std::mutex> lock(mutex);
    out << own << number;
    guarded += own;
    counts[own.substr(0, 3)]++;
}

int main() {
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    return guarded.size() + out.str().size() + counts["a s"] == 0;
}
