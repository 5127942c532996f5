#include "ir/target/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::ir::target {
using llvm::StringRef;
namespace {

const char *const keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit "
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires restrict return short "
    "signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
    "try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor "
    "xor_eq ";

const char *const gpuWords =
    "threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 uchar uint ushort ulong "
    "hipLaunchKernelGGL HIP_DYNAMIC_SHARED HIP_KERNEL_NAME char1 char2 char3 char4 float1 float2 float3 "
    "float4 int1 int2 int3 int4 double1 double2 double3 double4 uint1 uint2 uint3 uint4 mapElem ";

// Types of the C library that do not end in _t.
const char *const typeWords = "DIR FILE fd_mask fd_set jmp_buf sigjmp_buf u_char u_int u_long u_short va_list ";

// What emitted text itself is written in.
const char *const ownWords =
    "Grid Shared Threads shared shared_bytes std tsr main int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t TessStatus TessStream TessTensor TessValue ";

// What a header may define as a macro is known by the families that ISO C, POSIX and the vendors keep for them, whatever their
// headers define today, and by the words that stand outside of them.
const char *const macroFamilies =
    "ADDRESS_SPACE_ ADJ_ AF_ AIO_ ATOMIC_ AT_ BC_ BUS_ CHAR_ CLD_ CLOCK_ CLONE_ CLOSE_RANGE_ CMPLX CMSG_ CPU_ CUDART "
    "CUDA_ CU_ DBL_ DECLOP_ DN_ EXIT_ FALLOC_ FD_ FE_ FLT_ FPE_ FP_ HIP HUGE_VAL HW_ID ILL_ INT16_ INT32_ INT64_ "
    "INT8_ INTMAX_ INTPTR_ INT_ ITIMER_ LC_ LDBL_ LLONG_ LOCK_ LONG_ MADV_ MAP_ MATH_ MCL_ MFD_ MOD_ MREMAP_ MSG_ "
    "MS_ M_ NL_ NV_ PF_ PKEY_ POSIX_ PRIX PRId PRIi PRIo PRIu PRIx PROT_ PTHREAD_ PTRDIFF_ REG_ RENAME_ RWF_ RWH_ "
    "SA_ SCHAR_ SCHED_ SCM_ SCNX SCNd SCNi SCNo SCNu SCNx SEEK_ SEGV_ SEM_ SHRT_ SHUT_ SIGEV_ SIG_ SI_ SNAN SOCK_ "
    "SOL_ SO_ SPLICE_ STATX_ STA_ SYNC_ TESSERA_ TESS_ TEXTURE_ TIMER_ TIME_ TRAP_ TSR_ UCHAR_ UINT16_ UINT32_ "
    "UINT64_ UINT8_ UINTMAX_ UINTPTR_ UINT_ ULLONG_ ULONG_ USHRT_ UTIME_ WCHAR_ WINT_ XATTR_ cuda hip isalnum "
    "isalpha isascii isblank iscntrl isdigit isgraph isgreater isless islower isprint ispunct isspace isupper "
    "isxdigit launch_bounds_impl pthread_ sa_ si_ sigev_ st_atime st_ctime st_mtime ";
const char *const macroWords =
#include "ir/target/MacroNames.def"
    ;

// Names with C linkage: an exported function that shares one would take the library's place in a program, or call the
// library's instead of itself. A kernel may not have the name of a type, either.
const char *const libraryNames =
#include "ir/target/LibraryNames.def"
    ;
// Libraries that emitted text is linked with, all of whose names begin alike.
const char *const libraryPrefixes = "GOACC_ GOMP_ Tess acc_ atomic_flag_ cublas cuda hip hsa_ kmp nvrtc omp_ ompc_ ompt_ tess ";

llvm::SmallVector<StringRef> listOf(const char *text) {
  llvm::SmallVector<StringRef> list;
  llvm::SplitString(text, list, " ");
  return list;
}
llvm::StringSet<> setOf(std::initializer_list<const char *> texts) {
  llvm::StringSet<> words;
  for (const char *text : texts)
    for (StringRef word : listOf(text)) words.insert(word);
  return words;
}
bool startsWithAny(StringRef name, llvm::ArrayRef<StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

bool isLibraryName(StringRef name) {
  static const llvm::StringSet<> words = setOf({libraryNames});
  static const auto prefixes = listOf(libraryPrefixes);
  // ISO C keeps the names that begin with an underscore at file scope, POSIX those that end in _t.
  if (name.size() > 2 && name.starts_with("cu") && llvm::isUpper(name[2])) return true;  // CUDA's driver
  return words.contains(name) || startsWithAny(name, prefixes) || name.starts_with("_") || name.ends_with("_t");
}

}  // namespace

bool isOwnWord(StringRef name) {
  static const llvm::StringSet<> words = setOf({ownWords});
  return words.contains(name);
}

bool isTakenWord(StringRef name) {
  static const llvm::StringSet<> words = setOf({keywords, gpuWords, typeWords, ownWords, macroWords});
  return words.contains(name);
}
bool isReservedWord(StringRef name) {
  static const auto prefixes = listOf(macroFamilies);
  return isTakenWord(name) || startsWithAny(name, prefixes);
}

std::string sanitized(StringRef name) {
  std::string text;
  for (char c : name) text += llvm::isAlnum(c) || c == '_' ? c : '_';
  // The implementation's own: __x and _X.
  StringRef rest = text;
  if (rest.starts_with("__") || (rest.size() > 1 && rest[0] == '_' && llvm::isUpper(rest[1]))) {
    rest = rest.ltrim('_');
    text = (rest.empty() ? "blank" : rest.str()) + "_";
  }
  if (text.empty() || llvm::isDigit(text.front())) text.insert(text.begin(), '_');
  return text;
}

std::string variableName(StringRef name) {
  std::string text = sanitized(name);
  return isReservedWord(text) ? text + "_" : text;
}

std::string functionName(StringRef name) {
  std::string text = sanitized(name);
  // OpenMP's libraries have their functions once more with an underscore behind them, for Fortran.
  if (startsWithAny(text, {"acc_", "omp_"})) return text + "_fn";
  return isReservedWord(text) || isLibraryName(text) ? text + "_" : text;
}

}  // namespace tessera::ir::target
