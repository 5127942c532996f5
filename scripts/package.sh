#!/usr/bin/env bash
# package.sh BUILD FOLDER: an archive of what BUILD has built, for machines without LLVM: the programs, the headers of emitted
# code, the library, the runtime and the CMake package, with bin/, include/, lib/ and share/ at its top. Beside it its SHA-256.
# The same build gives the same bytes.
set -euo pipefail
if [ $# != 2 ]; then echo "usage: package.sh BUILD FOLDER" >&2; exit 2; fi
ROOT=$(cd "$(dirname "$0")/.." && pwd)
BUILD=$(cd "$1" && pwd)
mkdir -p "$2"
OUT=$(cd "$2" && pwd)
VERSION=$("$BUILD/bin/tesserac" --version | awk '{print $2}')
NAME=tessera-$VERSION-linux-$(uname -m)
STAGE=$(mktemp -d)
trap 'rm -rf "$STAGE"' EXIT

cmake --install "$BUILD" --prefix "$STAGE" --strip >"$STAGE.log" 2>&1 || { cat "$STAGE.log" >&2; rm -f "$STAGE.log"; exit 1; }
rm -f "$STAGE.log"
cp "$ROOT/LICENSE" "$STAGE/LICENSE"
# Whose code is in the programs: their terms ask for their notices.
for package in llvm-19-dev libmlir-19-dev libantlr4-runtime-dev libevent-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libzstd-dev libtinfo-dev libstdc++-12-dev; do
  [ -f "/usr/share/doc/$package/copyright" ] || { echo "package.sh: /usr/share/doc/$package/copyright is not there, and an archive without that notice may not be passed on" >&2; exit 1; }
  mkdir -p "$STAGE/share/doc/tessera/notices"
  cp -L "/usr/share/doc/$package/copyright" "$STAGE/share/doc/tessera/notices/$package"
done

# The programs run wherever this libc does: nothing else is asked of a machine.
needed=0
for program in "$STAGE"/bin/*; do
  others=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -E '^(libc|libm|libpthread|libdl)\.so|^ld-linux' || true)
  if [ -n "$others" ]; then echo "package.sh: $(basename "$program") needs $others, which another machine may not have" >&2; needed=1; fi
done
[ $needed = 0 ] || exit 1
GLIBC=$(for program in "$STAGE"/bin/*; do readelf -V "$program"; done | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)

DATE=${SOURCE_DATE_EPOCH:-$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || echo 0)}
tar --sort=name --mtime="@$DATE" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$STAGE" -cf - . | gzip -9n >"$OUT/$NAME.tar.gz"
(cd "$OUT" && sha256sum "$NAME.tar.gz" >"$NAME.tar.gz.sha256")
echo "$OUT/$NAME.tar.gz: $(($(stat -c %s "$OUT/$NAME.tar.gz") / 1000000)) MB, needs glibc ${GLIBC#GLIBC_}"
