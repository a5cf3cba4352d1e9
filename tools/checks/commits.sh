# Checks the subject of each commit since this file was added: `type(scope): what` (CONTRIBUTING.md).

if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" != false ]; then
  echo "Commit subjects: SKIPPED. The history is missing: run \`git fetch --unshallow\`."
  exit 0
fi
added=$(git log --diff-filter=A --format=%H -1 -- tools/checks/commits.sh)
[ -z "$added" ] || exec commitlint --from "$(git rev-parse -q --verify "$added^" || echo "$added")"
