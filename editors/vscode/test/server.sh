#!/usr/bin/env bash
# A real VS Code for browser.mjs: server.sh FOLDER installs code-server and playwright-core there, from npm alone. Minutes, and
# a gigabyte. Needs node 20, npm, make, g++ and the Debian packages libkrb5-dev libx11-dev libxkbfile-dev libsecret-1-dev
# ripgrep.
set -euo pipefail
folder=${1:?a folder}
mkdir -p "$folder"
cd "$folder"
[ ! -e installed ] || exit 0
export npm_config_nodedir=/usr npm_config_build_from_source=true npm_config_unsafe_perm=true
[ -f package.json ] || npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund code-server playwright-core
(
  cd node_modules/code-server/lib/vscode
  npm install --omit=dev --ignore-scripts --no-audit --no-fund
  mkdir -p node_modules/@vscode/ripgrep/bin
  ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
  npm rebuild @vscode/spdlog native-watchdog @parcel/watcher kerberos
  npm rebuild node-pty || [ -f node_modules/node-pty/build/Release/pty.node ] # its last step fails after the module is built
  [ -e node_modules.asar ] || ln -s node_modules node_modules.asar
  cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund
)
npm rebuild argon2
touch installed
