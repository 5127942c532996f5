// Names that emitted text cannot use as they are: words of C++, CUDA and HIP, macros of their headers,
// functions of C.
#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera::ir::target {

/// No variable or parameter of emitted text can be called that.
bool isReservedWord(llvm::StringRef name);
/// A word that means something in emitted text: of the languages, of the text itself, or a macro by its own name and not by
/// its family's.
bool isTakenWord(llvm::StringRef name);
/// A word that emitted text itself defines or speaks of (`Threads`, `Grid`): reserved for it.
bool isOwnWord(llvm::StringRef name);
/// The name with the characters and the beginning that identifiers may have.
std::string sanitized(llvm::StringRef name);
/// The program's name for a variable or parameter: a reserved word gets a trailing underscore.
std::string variableName(llvm::StringRef name);
/// The program's name for a function with C linkage: functions of the C library are reserved, too.
std::string functionName(llvm::StringRef name);

}  // namespace tessera::ir::target
