#!/bin/sh
# Runs a server with threads for its connections, and clients beside it; writes what the clients were answered.
socket=$(mktemp -u /tmp/redis-XXXXXX)
(
  for _ in $(seq 100); do test -S "$socket" && break; sleep 0.1; done
  for number in 1 2 3; do echo "incrby n $number"; echo "lpush l $number"; done | src/redis-cli -s "$socket" >answers
  echo "eval 'return redis.call(\"llen\", \"l\")' 0" | src/redis-cli -s "$socket" >>answers
  src/redis-cli -s "$socket" flushall async >>answers
  src/redis-cli -s "$socket" shutdown nosave 2>/dev/null
  cat answers
) &
exec src/redis-server --port 0 --unixsocket "$socket" --save "" --appendonly no --io-threads 2 --io-threads-do-reads yes \
  --logfile log --daemonize no
