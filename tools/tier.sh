# Runs the npm scripts of a tier side by side: sh tools/tier.sh <tier> <number of scripts at a time>
# Each line of output starts with the script's name. The table at the end has their times and exit codes.

node tools/doctor.ts "$1" || exit

# The scripts share the databases that tests copy. What an interrupted script leaves is deleted, too.
TEST_RUN_FOLDER=$(mktemp -d)
TMPDIR=$TEST_RUN_FOLDER/tmp
NODE_COMPILE_CACHE=$PWD/node_modules/.cache/node
export TEST_RUN_FOLDER TMPDIR NODE_COMPILE_CACHE
# Tests start programs as other users.
chmod 711 "$TEST_RUN_FOLDER" && mkdir -m 1777 "$TMPDIR"
trap 'rm -rf "$TEST_RUN_FOLDER"' EXIT
trap 'exit 130' INT HUP TERM

case $1 in server | nightly) teardown='. tools/test-server.sh && node test/support/node/drop-databases.ts' ;; esac
concurrently --timings --max-processes "$2" ${teardown:+--teardown "$teardown"} "npm:$1.*"
