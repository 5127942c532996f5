# Read by CTest in the preset `asan`: what the sanitizers do in every test. A finding ends the program, leaks included.
# LLVM's archives are not instrumented, and its allocators tell the sanitizer about some of their memory only:
# allow_user_poisoning=0 ignores what they tell.
set(ENV{ASAN_OPTIONS} "detect_leaks=1:allow_user_poisoning=0:detect_stack_use_after_return=1:strict_string_checks=1")
set(ENV{UBSAN_OPTIONS} "halt_on_error=1:print_stacktrace=1")
