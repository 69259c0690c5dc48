#include <exception>
#include <stdexcept>
#include <thread>
// The last reference is dropped inside the C++ library, which counts them unseen.
int main() {
    std::exception_ptr caught;
    try {
        throw std::runtime_error("no");
    } catch (...) {
        caught = std::current_exception();
    }
    auto look = [](std::exception_ptr mine) {
        try {
            std::rethrow_exception(mine);
        } catch (const std::runtime_error &error) {
            if (error.what()[0] != 'n')
                std::terminate();
        }
    };
    std::thread a(look, caught), b(look, caught);
    caught = nullptr;
    a.join();
    b.join();
}
