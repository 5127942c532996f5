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
    "float4 int1 int2 int3 int4 double1 double2 double3 double4 uint1 uint2 uint3 uint4 ";

// What emitted text itself is written in.
const char *const ownWords =
    "Grid Shared Threads shared shared_bytes std tsr main int8_t int16_t int32_t int64_t uint8_t uint16_t "
    "uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t TessStatus TessStream TessTensor TessValue ";

// Macros of the C and C++ headers that emitted text includes, as glibc has them; families are below.
const char *const macros =
    "AIO_PRIO_DELTA_MAX BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH "
    "BUFSIZ BYTE_ORDER CHARCLASS_NAME_MAX CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC "
    "COLL_WEIGHTS_MAX CSIGNAL DELAYTIMER_MAX E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT "
    "EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD "
    "ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT "
    "EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO "
    "EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC "
    "ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP "
    "ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV "
    "ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR "
    "ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY "
    "ENOTUNIQ ENXIO EOF EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT "
    "EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE "
    "ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK "
    "EXDEV EXFULL EXPR_NEST_MAX FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO FILENAME_MAX FOPEN_MAX "
    "HOST_NAME_MAX I INFINITY IOV_MAX LINE_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LLONG_WIDTH "
    "LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX LONG_LONG_MIN LONG_MAX LONG_MIN LONG_WIDTH L_ctermid L_cuserid "
    "L_tmpnam MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX MQ_PRIO_MAX NAME_MAX NAN NFDBITS "
    "NGROUPS_MAX NULL NZERO PATH_MAX PDP_ENDIAN PIPE_BUF PTRDIFF_MAX PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir "
    "RAND_MAX RE_DUP_MAX RTSIG_MAX SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SEM_VALUE_MAX SHRT_MAX SHRT_MIN "
    "SHRT_WIDTH SIZE_MAX SIZE_WIDTH SSIZE_MAX TMP_MAX TTY_NAME_MAX UCHAR_MAX UCHAR_WIDTH ULLONG_MAX "
    "ULLONG_WIDTH ULONG_LONG_MAX ULONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCHAR_MAX WCHAR_MIN "
    "WCHAR_WIDTH WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WORD_BIT XATTR_LIST_MAX XATTR_NAME_MAX "
    "XATTR_SIZE_MAX alloca assert assert_perror complex errno fpclassify imaginary isfinite isinf isnan "
    "isnormal issubnormal linux math_errhandling offsetof sched_priority signbit stderr stdin stdout "
    "strdupa strndupa unix va_arg va_copy va_end va_start WCONTINUED WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED "
    "WIFSIGNALED WIFSTOPPED WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED CUDARTAPI CUDARTAPI_CDECL "
    "CU_UUID_HAS_BEEN_DEFINED IF_DEVICE_OR_CUDACC be16toh be32toh be64toh htobe16 htobe32 htobe64 htole16 htole32 "
    "htole64 le16toh le32toh le64toh isalnum_l isalpha_l isascii isascii_l isblank_l iscntrl_l isdigit_l isgraph_l "
    "islower_l isprint_l ispunct_l isspace_l isupper_l isxdigit_l toascii toascii_l pthread_cleanup_pop "
    "pthread_cleanup_pop_restore_np pthread_cleanup_push pthread_cleanup_push_defer_np ";
const char *const macroPrefixes = "ADJ_ ATOMIC_ CLOCK_ CLONE_ CPU_ CUDA_ CUDART_ EXIT_ FE_ FP_ HIP_ HUGE_VAL "
                                  "INT16_ INT32_ INT64_ INT8_ INTMAX_ INTPTR_ "
                                  "INT_ LC_ LLONG_ LONG_ MATH_ MOD_ M_ NL_ NV_ PTHREAD_ RENAME_ SCHED_ SEEK_ "
                                  "SHRT_ SIG_ SNAN STA_ TESSERA_ TESS_ TIMER_ "
                                  "TIME_ TSR_ UINT16_ UINT32_ UINT64_ UINT8_ UINTMAX_ UINTPTR_ UINT_ "
                                  "cudaA cudaC cudaD cudaE cudaG cudaH cudaI cudaK cudaM cudaN cudaO cudaP cudaS cudaT";

// Names with C linkage: an exported function that shares one would take the library's place in a program, or call the
// library's instead of itself. The table is what libraries and headers say, not what is here: see docs/decisions.
const char *const libraryNames =
#include "ir/target/LibraryNames.def"
    ;
// Libraries that emitted text is linked with, all of whose names begin alike.
const char *const libraryPrefixes = "cublas cuda hip omp_ tess ";

llvm::StringSet<> setOf(std::initializer_list<const char *> texts) {
  llvm::StringSet<> words;
  for (StringRef text : texts) {
    llvm::SmallVector<StringRef> list;
    llvm::SplitString(text, list, " ");
    for (StringRef word : list) words.insert(word);
  }
  return words;
}
bool startsWithAny(StringRef name, const char *prefixes) {
  llvm::SmallVector<StringRef> list;
  llvm::SplitString(prefixes, list, " ");
  return llvm::any_of(list, [&](StringRef prefix) { return name.starts_with(prefix); });
}

bool isLibraryName(StringRef name) {
  static const llvm::StringSet<> words = setOf({libraryNames});
  // POSIX keeps all names that end in _t for types.
  return words.contains(name) || startsWithAny(name, libraryPrefixes) || name.ends_with("_t");
}

}  // namespace

bool isOwnWord(StringRef name) {
  static const llvm::StringSet<> words = setOf({ownWords});
  return words.contains(name);
}

bool isReservedWord(StringRef name) {
  static const llvm::StringSet<> words = setOf({keywords, gpuWords, ownWords, macros});
  return words.contains(name) || startsWithAny(name, macroPrefixes);
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
  return isReservedWord(text) || isLibraryName(text) ? text + "_" : text;
}

}  // namespace tessera::ir::target
