#!/bin/sh
# Starts the program from wherever this folder lies, on a system whose C library is new enough for it.
here=$(dirname "$(readlink -f "$0")")
needed=$(cat "$here/program/glibc")
found=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)
if [ -n "$found" ] && [ "$(printf '%s\n' "$needed" "$found" | sort -V | head -n 1)" != "$needed" ]; then
    echo "headwater: This system's C library is $found; this build of Headwater needs $needed or newer." >&2
    exit 1
fi
exec "$here/program/headwater" "$@"
