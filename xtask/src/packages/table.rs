//! The table of packages: how each is built, and what is run.

/// A package.
pub struct Package {
    pub name: &'static str,
    /// Its source package; empty: a program of ours on the system's own library.
    pub source: &'static str,
    /// Packages that it is built with.
    pub needs: &'static [&'static str],
    /// Command lines for a shell in the source's directory. `$CC` and `$CXX` are the compilers, `$OURS` is where our
    /// programs for libraries are.
    pub build: &'static [&'static str],
    /// The program, from the source's directory, and its arguments; `DATA` is a file to work on.
    pub run: &'static [&'static str],
}

/// All of them.
pub const PACKAGES: [Package; 14] = [
    Package {
        name: "pigz",
        source: "pigz",
        needs: &["zlib1g-dev"],
        build: &["make -s CC=\"$CC\" CFLAGS='-g -O1' pigz"],
        run: &["./pigz", "-n", "-p", "2", "-b", "128", "-c", "DATA"],
    },
    Package {
        name: "pbzip2",
        source: "pbzip2",
        needs: &["libbz2-dev"],
        build: &["make -s CXX=\"$CXX -std=gnu++98 -g\" pbzip2"],
        run: &["./pbzip2", "-p2", "-b1", "-k", "-c", "DATA"],
    },
    Package {
        name: "lbzip2",
        source: "lbzip2",
        needs: &[],
        build: &[
            "./configure -q CPPFLAGS='-D_IO_ftrylockfile -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100' CFLAGS='-g -O1'",
            "make -s",
        ],
        run: &["src/lbzip2", "-n2", "-1", "-c", "DATA"],
    },
    Package {
        name: "zstd",
        source: "libzstd",
        needs: &[],
        build: &["make -s -C programs CC=\"$CC\" CFLAGS='-g -O1' zstd"],
        run: &["programs/zstd", "-T2", "-B262144", "-q", "-c", "DATA"],
    },
    Package {
        name: "xz",
        source: "xz-utils",
        needs: &[],
        build: &["./configure -q --disable-nls --disable-doc --disable-shared CFLAGS='-g -O1'", "make -s"],
        run: &["src/xz/xz", "-T2", "-0", "--block-size=256KiB", "-c", "DATA"],
    },
    Package {
        name: "plzip",
        source: "plzip",
        needs: &["liblz-dev"],
        build: &["./configure CXX=\"$CXX\" CXXFLAGS='-g -O1' >configured", "make -s"],
        run: &["./plzip", "-n2", "-0", "-B", "128KiB", "-s", "64KiB", "-c", "DATA"],
    },
    Package {
        name: "lrzip",
        source: "lrzip",
        needs: &["zlib1g-dev", "libbz2-dev", "liblzo2-dev", "liblz4-dev", "autoconf", "automake", "libtool"],
        build: &[
            "test -x configure || ./autogen.sh >configured 2>&1",
            "./configure -q --disable-asm CFLAGS='-g -O1' CXXFLAGS='-g -O1'",
            "make -s",
        ],
        run: &["./lrzip", "-Q", "-f", "-p", "2", "-b", "-w", "1", "-o", "-", "DATA"],
    },
    Package {
        name: "memcached",
        source: "memcached",
        needs: &["libevent-dev"],
        build: &["./configure -q CFLAGS='-g -O1' --disable-docs", "make -s memcached"],
        run: &["bash", "OURS/memcached.sh"],
    },
    Package {
        name: "redis",
        source: "redis",
        needs: &[],
        build: &["make -s -C src CC=\"$CC\" MALLOC=libc OPTIMIZATION=-O1 REDIS_LDFLAGS= redis-server redis-cli"],
        run: &["bash", "OURS/redis.sh"],
    },
    Package {
        name: "libuv",
        source: "libuv1",
        needs: &["cmake"],
        build: &[
            "cmake -B built -DCMAKE_C_FLAGS='-g -O1' -DBUILD_TESTING=OFF >configured",
            "cmake --build built --target uv_a >made",
            "$CC -g -O1 -Iinclude $OURS/uv_work.c built/libuv_a.a -lpthread -ldl -lrt -o work",
        ],
        run: &["./work"],
    },
    Package {
        name: "sqlite",
        source: "sqlite3",
        needs: &["tcl"],
        build: &[
            "./configure -q --disable-tcl --enable-threadsafe >configured 2>&1 && make -s sqlite3.c >made 2>&1",
            "$CC -g -O1 -DSQLITE_THREADSAFE=1 -I. $OURS/sqlite_threads.c sqlite3.c -lpthread -ldl -lm -o threads",
        ],
        run: &["./threads"],
    },
    Package {
        name: "glib",
        source: "",
        needs: &["libglib2.0-dev"],
        build: &["$CC -g -O1 $OURS/glib_jobs.c $(pkg-config --cflags --libs glib-2.0) -o jobs"],
        run: &["./jobs"],
    },
    Package {
        name: "boost",
        source: "",
        needs: &["libboost-dev", "libboost-thread-dev"],
        build: &["$CXX -std=c++17 -g -O1 $OURS/boost_pool.cc -lboost_thread -lpthread -o pool"],
        run: &["./pool"],
    },
    Package {
        name: "tbb",
        source: "",
        needs: &["libtbb-dev"],
        build: &["$CXX -std=c++17 -g -O1 $OURS/tbb_algorithms.cc -ltbb -o algorithms"],
        run: &["./algorithms"],
    },
];
