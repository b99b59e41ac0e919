#!/bin/sh
# backup.sh REPO PID TARGET: a consistent picture of the repo that process PID is working on, in the new folder TARGET on the same file
# system. The process stands still meanwhile, and goes on whatever happens. Linux; reading another user's process takes root.
set -eu
repo=$1 pid=$2 target=$3

mkdir -m 700 "$target" "$target/db" "$target/segments"
trap 'kill -CONT "$pid"' EXIT
kill -STOP "$pid"
# every thread has to have stopped, those that write to the disk as well
while grep -L '^State:[[:space:]]*T' /proc/"$pid"/task/*/status | grep -q .; do sleep 0.01; done

# block files, tables, and all segments but the last never change: a second name for each is enough
cp -al "$repo/blocks" "$target/"
last=$(ls "$repo/segments" | tail -n 1)
for file in "$repo"/segments/*.blocks; do
  case ${file##*/} in
    "$last") cp -a "$file" "$target/segments/" ;;
    '*.blocks') ;;
    *) cp -al "$file" "$target/segments/" ;;
  esac
done
# the id that ties the segments to their database
[ ! -e "$repo/segments/.database" ] || cp -a "$repo/segments/.database" "$target/segments/"
for file in "$repo"/db/*; do
  case $file in
    *.sst) cp -al "$file" "$target/db/" ;;
    *) cp -a "$file" "$target/db/" ;;
  esac
done
# all else is small; the lock and the addresses belong to the running process
for file in "$repo"/*; do
  case ${file##*/} in
    blocks | segments | db | api | gateway | repo.lock*) ;;
    *) cp -a "$file" "$target/" ;;
  esac
done
