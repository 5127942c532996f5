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
    "strdupa strndupa unix va_arg va_copy va_end va_start ";
const char *const macroPrefixes = "ADJ_ ATOMIC_ CLOCK_ CLONE_ CPU_ CUDA_ CUDART_ EXIT_ FE_ FP_ HIP_ HUGE_VAL "
                                  "INT16_ INT32_ INT64_ INT8_ INTMAX_ INTPTR_ "
                                  "INT_ LC_ LLONG_ LONG_ MATH_ MOD_ M_ NL_ NV_ PTHREAD_ RENAME_ SCHED_ SEEK_ "
                                  "SHRT_ SIG_ SNAN STA_ TESSERA_ TESS_ TIMER_ "
                                  "TIME_ TSR_ UINT16_ UINT32_ UINT64_ UINT8_ UINTMAX_ UINTPTR_ UINT_";

// Functions with C linkage in scope: a function of the C interface cannot share a name with them.
const char *const libraryFunctions =
    "abort abs access acct acos acosh alarm aligned_alloc alloca arc4random arc4random_uniform asctime "
    "asin asinh assertfail at_quick_exit atan atan2 atanh atexit atoi atol atoll basename bcmp bcopy brk "
    "bsearch btowc bzero calloc canonicalize canonicalize_file_name cbrt ceil chdir chown chroot clearenv "
    "clearerr clock clock64 clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep "
    "clock_settime clone close close_range closefrom confstr copy_file_range copysign cos cosh cospi "
    "crypt ctermid ctime cuserid cyl_bessel_i0 cyl_bessel_i1 daemon difftime div dladdr dladdr1 dlclose "
    "dlerror dlinfo dlmopen dlopen dlsym dlvsym drand48 drem dup dup2 dup3 duplocale dysize eaccess ecvt "
    "erand48 erf erfc erfcinv erfcx erfinv euidaccess eval execle execlp execv execve execveat execvp "
    "execvpe exit exp exp10 exp2 explicit_bzero expm1 fabs faccessat fadd fchdir fchown fchownat fclose "
    "fcvt fdatasync fdim fdiv fdopen feclearexcept fedisableexcept feenableexcept fegetenv fegetexcept "
    "fegetexceptflag fegetmode fegetround feholdexcept feraiseexcept ferror fesetenv fesetexcept "
    "fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag feupdateenv fexecve fflush ffma "
    "ffs fgetc fgetpos fgets fgetwc fgetws fileno finite float_as_int flockfile floor fma fmax fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum fminimum_mag "
    "fminimum_mag_num fminimum_num fminmag fmod fopen fopencookie fork fprintf fputc fputs fputwc fputws "
    "fread free freelocale freopen frexp fromfp fromfpx fscanf fseek fseeko fsetpos fsqrt fsub fsync "
    "ftello ftruncate ftrylockfile funlockfile fwide fwrite gamma gcvt get_current_dir_name getc getchar "
    "getcpu getcwd getdate getdelim getdomainname getdtablesize getegid getentropy getenv geteuid getgid "
    "getgroups gethostid gethostname getline getloadavg getlogin getopt getpagesize getpass getpayload "
    "getpgid getpgrp getpid getppid getpt getresgid getresuid getsid getsubopt gettid getuid getw getwc "
    "getwchar getwd gmtime grantpt group_member hypot ilogb index initstate int int_as_float isalnum "
    "isalpha isascii isatty isblank isctype isdigit isgraph islower isnan isprint ispunct isspace isupper "
    "iswalnum iswalpha iswblank iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper "
    "iswxdigit isxdigit j0 j1 jn jrand48 killpg l64a labs lchown lcong48 ldexp ldiv lgamma link linkat "
    "llabs lldiv llmax llmin llogb llrint llround localeconv localtime log log10 log1p log2 logb lrand48 "
    "lrint lround lseek malloc max mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc "
    "memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset min mkdtemp mkostemp "
    "mkostemps mkstemp mkstemps mktemp mktime modf mrand48 mul24 mul64hi mulhi nan nanosleep nearbyint "
    "newlocale nextafter nextdown nexttoward nextup nice norm norm3d norm4d normcdf normcdfinv nrand48 "
    "on_exit open_memstream open_wmemstream pause pclose perror pipe pipe2 popen pow pread printf pselect "
    "psiginfo ptsname putc putchar putenv puts putw putwc putwchar pwrite qecvt qfcvt qgcvt qsort "
    "quick_exit raise rand random rawmemchr rcbrt read readlink readlinkat realloc reallocarray realpath "
    "remainder remove remquo rename renameat renameat2 revoke rewind rhypot rindex rint rmdir rnorm "
    "rnorm3d rnorm4d round roundeven rpmatch rsqrt saturate sbrk scalb scalbln scalbn scanf secure_getenv "
    "seed48 select setbuffer setdomainname setegid setenv seteuid setgid sethostid sethostname setlocale "
    "setlogin setns setpayload setpayloadsig setpgid setpgrp setregid setresgid setresuid setreuid setsid "
    "setstate setuid sigmask signal sin sincos sincospi sinh sinpi sleep snprintf sprintf sqrt srand "
    "srand48 srandom sscanf stpcpy stpncpy strcasecmp strcasestr strcat strchr strcmp strcpy strcspn "
    "strdup strerror strfromd strfry strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen "
    "strpbrk strptime strrchr strsep strspn strstr strtod strtok strtol strtold strtoll strtoq strtoul "
    "strtoull strtouq strverscmp strxfrm surfCubemap swab symlink symlinkat sync syncfs system tan tanh "
    "tanpi tcgetpgrp tcsetpgrp tempnam tex1D tex2D tex3D tgamma time timegm timer_create timer_delete "
    "timer_getoverrun timer_gettime timer_settime timespec_get timespec_getres tmpfile tmpnam toascii "
    "tolower totalorder totalordermag toupper towctrans towlower towupper trunc truncate ttyname ttyslot "
    "tzset ualarm ufromfp ufromfpx ullmax ullmin umax umin umul24 umul64hi umulhi ungetc ungetwc unlink "
    "unlinkat unlockpt unsetenv unshare uselocale usleep valloc vfork vfprintf vhangup void vprintf "
    "vsnprintf vsprintf wcslen wmemcpy write y0 y1 yn "
    // Types, and what are macros in C alone: the header is C, too.
    "DIR FILE va_list isgreater isgreaterequal isless islessequal islessgreater isunordered major makedev "
    "minor ";
const char *const libraryPrefixes = "cublas cuda hip isw mbs omp_ posix_ pthread_ sched_ sigaction sigaddset "
                                    "sigset sigwait strto sysc tess wcs wmem";

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

bool isLibraryFunction(StringRef name) {
  static const llvm::StringSet<> words = setOf({libraryFunctions});
  // POSIX keeps all names that end in _t for types.
  if (words.contains(name) || startsWithAny(name, libraryPrefixes) || name.ends_with("_t")) return true;
  // sinf, sinl: the same for other floats.
  return (name.ends_with("f") || name.ends_with("l")) && words.contains(name.drop_back());
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
  return isReservedWord(text) || isLibraryFunction(text) ? text + "_" : text;
}

}  // namespace tessera::ir::target
