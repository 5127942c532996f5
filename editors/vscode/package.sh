#!/usr/bin/env bash
# Packs the extension: tessera.vsix beside this file. Needs node and npm.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund
npx vsce package --allow-missing-repository --skip-license -o tessera.vsix "$@"
