#!/bin/sh
# Starts the program from wherever this folder lies.
here=$(dirname "$(readlink -f "$0")")
exec "$here/program/headwater" "$@"
