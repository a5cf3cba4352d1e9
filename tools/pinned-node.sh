# Puts the Node that package-lock.json pins first on the PATH, and lets it keep what it compiled. Every npm script sources
# this file. npm 10 does not link `node_modules/.bin/node` if several packages provide it. Exits with one sentence if no
# usable Node is found.

root=$(pwd -P)
while [ "$root" ] && [ ! -f "$root/tools/pinned-node.sh" ]; do root=${root%/*}; done

installed=$(node --version 2>/dev/null) || installed=none
major=${installed#v}
major=${major%%.*}
[ "$major" = none ] && major=0
pinned=
for folder in "$root"/node_modules/node-*/bin; do
  if "$folder/node" --version >/dev/null 2>&1; then pinned=$folder; fi
done

if [ "$major" -lt 20 ]; then
  echo "This project needs Node 20 or newer, but found $installed: install Node 24, then run the command again." >&2
  exit 1
elif [ ! -d "$root/node_modules" ]; then
  echo "The packages are not installed: run \`npm ci\` in $root, then run the command again." >&2
  exit 1
elif [ "$pinned" != "${pinned#*:}" ]; then
  echo "A folder on the PATH cannot contain a colon: move $root, then run the command again." >&2
  exit 1
elif [ -n "$pinned" ]; then
  PATH=$pinned:$PATH
elif [ "$major" -lt 24 ]; then
  echo "This project has no Node package for this system, and found $installed: install Node 24, then run the command again." >&2
  exit 1
fi
# Commands start in half the time with what Node compiled before.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/node}"
unset root installed major pinned folder
