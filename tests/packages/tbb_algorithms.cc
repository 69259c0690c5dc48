#include <algorithm>
#include <execution>
#include <numeric>
#include <vector>
#include <cstdio>
int main() {
  std::vector<int> v(20000);
  std::iota(v.begin(), v.end(), 0);
  std::for_each(std::execution::par, v.begin(), v.end(), [](int& x) { x = x * 2 + 1; });
  std::sort(std::execution::par, v.begin(), v.end(), [](int a, int b) { return a > b; });
  long sum = std::reduce(std::execution::par, v.begin(), v.end(), 0L);
  printf("%ld\n", sum);
}
