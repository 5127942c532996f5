// What host code asks of a text of JSON; one that is none, or has not what is asked for, ends the program.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/json.h"
#include "tessera/host/rows.h"

namespace tsr {
namespace host {

namespace detail {
template <class Result> Result no_problem(Result result, const std::string &problem) {
  if (!problem.empty()) stop("JSON: " + problem, kValueError);
  return result;
}
}  // namespace detail

TSR_APART std::string json_whole(const std::string &text) {
  std::string problem, value = json::whole(text, problem);
  return detail::no_problem(std::move(value), problem);
}
TSR_APART std::string json_member(const std::string &value, const std::string &key) {
  std::string problem, found = json::member(value, key, problem);
  return detail::no_problem(std::move(found), problem);
}
TSR_APART std::string json_item(const std::string &value, int64_t index) {
  std::string problem, found = json::item(value, index, problem);
  return detail::no_problem(std::move(found), problem);
}
TSR_APART int64_t json_count(const std::string &value) {
  std::string problem;
  const int64_t count = json::count(value, problem);
  return detail::no_problem(count, problem);
}
TSR_APART std::string json_shown(const std::string &value) { return json::shown(value); }
TSR_APART Tensor json_items(const std::string &value) {
  std::string problem;
  std::vector<detail::Words> items;
  json::items(value, problem, [&](const std::string &item) { words::put_text(item, items.emplace_back()); });
  if (!problem.empty()) stop("JSON: " + problem, kValueError);
  return detail::table_of(static_cast<int64_t>(items.size()), [&](int64_t i) {
    const detail::Words &item = items[static_cast<size_t>(i)];
    return std::make_pair(item.data(), static_cast<int64_t>(item.size()));
  });
}

}  // namespace host
}  // namespace tsr
