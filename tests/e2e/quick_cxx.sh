#!/bin/sh
# As strict_cxx.sh, for programs that are compiled, run a moment and thrown away: -O1, which still makes the vectors that the
# text asks for (omp simd), or what TESSERA_OPTIMISE says, and our headers read once for all texts, which take as long as a
# small text. That a text includes what it uses, the tests emitted_* say. What is set where it is read, g++ sees with -O2 only.
[ -z "${TESSERA_SANITIZED:-}" ] || exec "$(dirname "$0")/../../scripts/sanitized_cxx.sh" "$@"  # ./dev asan whole
level=${TESSERA_OPTIMISE:--O1}
checks="-Wall -Wextra -Werror -Wno-maybe-uninitialized $level"
headers= flags=
for word; do
  case $word in
    -I*) headers=${word#-I} ;;
    -shared | -Wl,* | -o) ;;
    -*) flags="$flags $word" ;;
  esac
done
[ -e "$headers/tessera/entry.h" ] || exec g++ "$@" $checks
read=$headers.read
ready=$read/texts.h.gch/$(printf %s "$flags $level" | cksum | tr -d ' ')
if [ ! -e "$ready" ]; then  # several may do this at once: what is complete takes its place
  mkdir -p "$read/texts.h.gch"
  for name in entry device/copy device/cpu/operands device/cpu/stream device/dot device/fragment device/math device/shared device/view; do
    echo "#include \"tessera/$name.h\""
  done >"$read/$$.h" && mv "$read/$$.h" "$read/texts.h"
  g++ $flags "-I$headers" $checks -x c++-header "$read/texts.h" -o "$read/$$.gch" && mv "$read/$$.gch" "$ready"
fi
exec g++ -include "$read/texts.h" "$@" $checks
