// What an argument was meant to be called.
#pragma once
#include <string_view>
#include <vector>

namespace tessera::sema {

/// The parameter that the author of `keyword=` most likely meant; empty if nothing says which. `missing` are those of the
/// parameters that must be given and are not.
std::string_view nearArgument(std::string_view keyword, const std::vector<std::string_view> &names,
                              const std::vector<std::string_view> &missing);

/// What NumPy calls a parameter that has another name here and means exactly the same: `keepdims`. Else the word itself.
inline std::string_view ownWord(std::string_view keyword) { return keyword == "keepdims" ? "keepdim" : keyword; }

}  // namespace tessera::sema
