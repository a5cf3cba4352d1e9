# Runs the npm scripts of a tier side by side: npm run check starts it as sh tools/tier.sh fast 2, with two at a time.
# Each line of output starts with the script's name after the tier. The table at the end has times and exit codes.

node tools/doctor.ts "$1" || exit

# The scripts share the databases that tests copy. Files that an interrupted script leaves are deleted, too.
TEST_RUN_FOLDER=$(mktemp -d) || exit
TMPDIR=$TEST_RUN_FOLDER/tmp
NODE_COMPILE_CACHE=$PWD/node_modules/.cache/node
export TEST_RUN_FOLDER TMPDIR NODE_COMPILE_CACHE
# Tests start programs as other users.
chmod 711 "$TEST_RUN_FOLDER" && mkdir -m 1777 "$TMPDIR" || exit
trap 'rm -rf "$TEST_RUN_FOLDER"' EXIT

case $1 in server | nightly) teardown='. tools/test-server.sh && node test/support/node/drop-databases.ts' ;; esac
concurrently --timings --max-processes "$2" ${teardown:+--teardown "$teardown"} "npm:$1.*" &
child=$!
# A trap runs only after `wait`, not while a command runs. concurrently passes the signal to its scripts.
trap 'kill -TERM "$child"; wait "$child"; exit 143' TERM HUP
trap 'kill -INT "$child"; wait "$child"; exit 130' INT
wait "$child"
