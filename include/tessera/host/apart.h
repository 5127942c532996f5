// TSR_APART stands before functions of host code that run seldom or take long by themselves: files, texts, formats. A program that is
// one text has them like any other. One that `tessera` builds with g++ (TSR_HOST_DECLARED) takes them from an object that was compiled
// once (TSR_HOST_DEFINED) and is linked to it: compilers would take most of their time for them, in each program again.
#pragma once

#if defined(TSR_HOST_DEFINED)
#define TSR_APART __attribute__((used)) inline
#elif defined(TSR_HOST_DECLARED) && defined(__GNUC__) && !defined(__clang__)
#define TSR_APART __attribute__((gnu_inline, optimize("O0"))) inline
#else
#define TSR_APART inline
#endif
