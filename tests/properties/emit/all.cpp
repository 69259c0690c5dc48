// Events of C++: methods, templates, constructors and destructors, exceptions, inlined and virtual functions.
#include <stdexcept>
#include <thread>

namespace net {
class Conn {
public:
    explicit Conn(int port) : port_(port) {}
    ~Conn() { close(); }
    int send(int bytes) {
        if (bytes > 100)
            throw std::runtime_error("too long");
        return bytes;
    }
    void close() { port_ = 0; }

private:
    int port_;
};
template <class T> T twice(T x) { return x + x; }
struct Shape {
    virtual ~Shape() = default;
    virtual int area() const { return 0; }
};
struct Square : Shape {
    int side = 3;
    int area() const override { return side * side; }
};
} // namespace net

int main() {
    std::thread worker([] {
        net::Conn conn(80);
        conn.send(10);
        try {
            conn.send(1000);
        } catch (const std::runtime_error &) {
        }
        net::twice(21);
        net::twice(2L);
        net::Square square;
        const net::Shape &shape = square;
        shape.area();
    });
    worker.join();
}
