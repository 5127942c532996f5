#include "codegen/source/Doc.h"

namespace tessera::codegen {

enum class DocKind { Text, Line, Softline, Concat, Group, Nest, Align };

struct Doc::Node {
  DocKind kind;
  std::string text;
  int by = 0;
  std::vector<std::shared_ptr<const Node>> parts;
};

namespace {

using NodePtr = std::shared_ptr<const Doc::Node>;

struct Item {
  int indent;
  bool flat;
  const Doc::Node *node;
};

/// Whether what comes up to the next possible line break fits into `room` columns.
bool fits(int room, std::vector<Item> pending, const std::vector<Item> &rest) {
  size_t restIndex = rest.size();
  while (room >= 0) {
    if (pending.empty()) {
      if (restIndex == 0) return true;
      pending.push_back(rest[--restIndex]);
    }
    Item item = pending.back();
    pending.pop_back();
    switch (item.node->kind) {
    case DocKind::Text: room -= static_cast<int>(item.node->text.size()); break;
    case DocKind::Line:
      if (!item.flat) return true;
      --room;
      break;
    case DocKind::Softline:
      if (!item.flat) return true;
      break;
    case DocKind::Concat:
      for (auto it = item.node->parts.rbegin(); it != item.node->parts.rend(); ++it)
        pending.push_back({item.indent, item.flat, it->get()});
      break;
    case DocKind::Group:
    case DocKind::Nest:
    case DocKind::Align: pending.push_back({item.indent, item.flat, item.node->parts[0].get()}); break;
    }
  }
  return false;
}

}  // namespace

Doc::Doc(std::string text) {
  if (!text.empty()) node_ = std::make_shared<Node>(Node{DocKind::Text, std::move(text), 0, {}});
}
Doc Doc::line() {
  Doc doc;
  doc.node_ = std::make_shared<Node>(Node{DocKind::Line, "", 0, {}});
  return doc;
}
Doc Doc::softline() {
  Doc doc;
  doc.node_ = std::make_shared<Node>(Node{DocKind::Softline, "", 0, {}});
  return doc;
}
Doc Doc::group(Doc inner) {
  if (inner.node_) inner.node_ = std::make_shared<Node>(Node{DocKind::Group, "", 0, {inner.node_}});
  return inner;
}
Doc Doc::nest(int by, Doc inner) {
  if (inner.node_) inner.node_ = std::make_shared<Node>(Node{DocKind::Nest, "", by, {inner.node_}});
  return inner;
}
Doc Doc::align(Doc inner) {
  if (inner.node_) inner.node_ = std::make_shared<Node>(Node{DocKind::Align, "", 0, {inner.node_}});
  return inner;
}
Doc &Doc::operator+=(const Doc &other) {
  if (!other.node_) return *this;
  if (!node_) node_ = other.node_;
  else node_ = std::make_shared<Node>(Node{DocKind::Concat, "", 0, {node_, other.node_}});
  return *this;
}

std::vector<std::string> Doc::lines(int indent, int width) const {
  std::vector<std::string> done;
  std::string current(static_cast<size_t>(indent), ' ');
  std::vector<Item> stack;
  if (node_) stack.push_back({indent, false, node_.get()});
  while (!stack.empty()) {
    Item item = stack.back();
    stack.pop_back();
    switch (item.node->kind) {
    case DocKind::Text: current += item.node->text; break;
    case DocKind::Line:
    case DocKind::Softline:
      if (item.flat) {
        if (item.node->kind == DocKind::Line) current += ' ';
        break;
      }
      done.push_back(std::move(current));
      current.assign(static_cast<size_t>(item.indent), ' ');
      break;
    case DocKind::Concat:
      for (auto it = item.node->parts.rbegin(); it != item.node->parts.rend(); ++it)
        stack.push_back({item.indent, item.flat, it->get()});
      break;
    case DocKind::Group: {
      const Doc::Node *inner = item.node->parts[0].get();
      bool flat =
          item.flat || fits(width - static_cast<int>(current.size()), {{item.indent, true, inner}}, stack);
      stack.push_back({item.indent, flat, inner});
      break;
    }
    case DocKind::Nest:
      stack.push_back({item.indent + item.node->by, item.flat, item.node->parts[0].get()});
      break;
    case DocKind::Align:
      stack.push_back({static_cast<int>(current.size()), item.flat, item.node->parts[0].get()});
      break;
    }
  }
  done.push_back(std::move(current));
  for (std::string &text : done)  // a break after a space leaves it behind
    while (!text.empty() && text.back() == ' ') text.pop_back();
  return done;
}

Doc commaSeparated(const std::vector<Doc> &items) {
  Doc doc;
  for (size_t i = 0; i < items.size(); ++i) {
    // An item moves to a new line as a whole before a line breaks inside of it.
    if (i) doc += Doc(",") + Doc::group(Doc::line() + Doc::group(items[i]));
    else doc += Doc::group(items[i]);
  }
  return doc;
}

Doc parameterList(const std::vector<Doc> &items) {
  constexpr size_t kMany = 24;
  return items.size() < kMany ? Doc::align(commaSeparated(items)) : Doc::nest(4, Doc::softline() + commaSeparated(items));
}

}  // namespace tessera::codegen
