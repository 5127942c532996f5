// The user's cache folder: nobody else may write to it, an entry is checked before it is used, and its size is bounded.
#pragma once
#include "support/Result.h"
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::driver {

/// $TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera, made with mode 0700 if it is not there. Fails with
/// the reason if no home is known, or if somebody else owns the folder or may write to it: what is kept there is run.
Result<std::string> cacheFolder();

/// 256 bits of a text as 64 hexadecimal digits (BLAKE3): names of entries, and whether a file has changed.
std::string contentHash(std::string_view text);
/// The same of several texts, each with its length, so that nothing can move from one into the next.
std::string contentHash(std::initializer_list<std::string_view> parts);

/// An entry ends in a seal: the number of its bytes and the hash of its name and bytes. Programs and libraries run as
/// they are with it, for loaders do not read what follows the last section.
std::string sealed(std::string bytes, std::string_view name);
enum class EntryState { Missing, Damaged, Good };
struct CacheEntry {
  EntryState state = EntryState::Missing;
  std::string bytes;  // without the seal
};
/// Reads and checks the entry `path`, whose name is its last component. Only a plain file of this user is read. An entry
/// that is good counts as used now.
CacheEntry readEntry(const std::string &path);
/// Writes an entry, sealed; many may write the same at once. Empty on success, else what went wrong.
std::string writeEntry(const std::string &path, std::string bytes);
/// Makes what another program wrote to `temporary` the entry `path`. Empty on success, else what went wrong.
std::string keepEntry(const std::string &temporary, const std::string &path);

/// Bytes that a cache may hold: $TESSERA_CACHE_BYTES, else 1 GiB.
uint64_t cacheLimit();
/// Removes the entries that were not used for longest until three quarters of the limit are left, temporaries that
/// processes have left there, and headers of compilers that are used no more. Touches no file that is not an entry.
void boundCache(const std::string &folder);

}  // namespace tessera::driver
