// One thread inserts into a tree and a list, the other walks through the one and appends to the other.
#include <list>
#include <map>
#include <thread>

static std::map<int, int> map;
static std::list<int> list;

int main() {
    for (int i = 0; i < 8; i++) map[i * 2] = i;
    std::thread a([] {
        map.emplace(5, 5); // expect: race with line 17
        list.push_back(1); // expect: race with line 18
    });
    std::thread b([] {
        int sum = 0;
        for (auto &pair : map) sum += pair.second; // expect: race with line 12
        list.push_back(sum);
    });
    a.join();
    b.join();
    return list.empty();
}
