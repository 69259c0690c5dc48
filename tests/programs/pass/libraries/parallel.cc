// Parallel algorithms: oneTBB hands out the work and waits for it with futexes in its own code.
// needs: tbb
#include <algorithm>
#include <cstdio>
#include <execution>
#include <numeric>
#include <vector>

int main() {
    std::vector<int> numbers(5000);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::for_each(std::execution::par, numbers.begin(), numbers.end(), [](int &number) { number = number * 2 + 1; });
    std::sort(std::execution::par, numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    return std::reduce(std::execution::par, numbers.begin(), numbers.end(), 0L) != 5000L * 5000L;
}
