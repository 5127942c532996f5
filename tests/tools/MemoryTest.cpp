// operator new of the tools: blocks of all sizes keep what is written to them, in one thread and in several.
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace {
struct Block {
  unsigned char *memory = nullptr;
  size_t bytes = 0;
  unsigned char filled = 0;
};

void take(Block &block, size_t bytes, unsigned char fill) {
  block = {static_cast<unsigned char *>(::operator new(bytes)), bytes, fill};
  ASSERT_EQ(reinterpret_cast<uintptr_t>(block.memory) % 16, 0u);
  std::memset(block.memory, fill, bytes);
}
void giveBack(Block &block) {
  for (size_t i = 0; i < block.bytes; ++i) ASSERT_EQ(block.memory[i], block.filled) << "of " << block.bytes;
  ::operator delete(block.memory);
  block = {};
}
void work(unsigned seed, std::vector<Block> &blocks) {
  std::mt19937 random(seed);
  for (int round = 0; round < 60'000; ++round) {
    Block &block = blocks[random() % blocks.size()];
    if (block.memory) giveBack(block);
    else take(block, random() % (random() % 8 == 0 ? 5000 : 200), static_cast<unsigned char>(random()));
  }
}
}  // namespace

TEST(Memory, BlocksKeepWhatIsWrittenToThem) {
  std::vector<Block> blocks(3000);
  work(1, blocks);
  for (Block &block : blocks)
    if (block.memory) giveBack(block);
}

TEST(Memory, BlocksMayBeGivenBackByAnotherThread) {
  for (unsigned round = 0; round < 4; ++round) {
    std::vector<std::vector<Block>> blocks(4, std::vector<Block>(1000));
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < blocks.size(); ++i) threads.emplace_back([&, i] { work(10 * round + i, blocks[i]); });
    threads.clear();  // joins
    std::jthread([&] {
      for (auto &list : blocks)
        for (Block &block : list)
          if (block.memory) giveBack(block);
    }).join();
  }
}

TEST(Memory, NothingAndMuchAreBlocksToo) {
  void *nothing = ::operator new(0), *other = ::operator new(0);
  EXPECT_NE(nothing, other);
  ::operator delete(nothing);
  ::operator delete(other);
  ::operator delete(nullptr);
  EXPECT_THROW(::operator delete(::operator new(SIZE_MAX / 2)), std::bad_alloc);
}
