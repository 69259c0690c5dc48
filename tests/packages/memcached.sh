#!/bin/bash
# Runs a server with two threads, and a client beside it; writes what the client was answered.
port=$((20000 + RANDOM % 10000))
ask() {
  for _ in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && break; sleep 0.1; done
  for round in 1 2 3; do
    exec 3<>/dev/tcp/127.0.0.1/$port
    printf 'set k%d 0 0 5\r\nhello\r\nincr n 1\r\nget k%d\r\nquit\r\n' $round $round >&3
    cat <&3
  done
  exec 3<>/dev/tcp/127.0.0.1/$port
  printf 'shutdown\r\n' >&3
}
ask &
exec ./memcached -u root -A -l 127.0.0.1 -p $port -U 0 -t 2
