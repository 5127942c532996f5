#!/usr/bin/env bash
# Packs the extension: tessera.vsix beside this file. Needs node, npm and the registry of npm, which has the TypeScript compiler and the
# packages of package-lock.json.
set -euo pipefail
cd "$(dirname "$0")"
command -v npm >/dev/null 2>&1 || { echo "there is no npm: it builds the extension (Debian: npm)" >&2; exit 1; }
npm ci --ignore-scripts --no-audit --no-fund || {
  echo "the packages of package-lock.json cannot be had: the extension is built with a registry of npm ($(npm config get registry))" >&2
  exit 1
}
rm -rf out
npx tsc --project tsconfig.json
npx vsce package --allow-missing-repository --skip-license -o tessera.vsix "$@"
