#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<int> all;
struct Local {
    std::vector<int> v;
    ~Local() {
        std::lock_guard<std::mutex> l(m);
        all.insert(all.end(), v.begin(), v.end());
    }
};
static thread_local Local local;
int main() {
    std::vector<std::thread> ts;
    for (int t = 0; t < 4; t++)
        ts.emplace_back([t] {
            for (int i = 0; i < 20; i++)
                local.v.push_back(t * i);
        });
    for (auto &t : ts)
        t.join();
    return all.size() != 80;
}
