// SPDX-License-Identifier: MIT
// See tree_search.hpp.
#include "plugins/files/tree_search.hpp"

#include "sdk/kit/deadline.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>

#include <dirent.h>

namespace packhost::files {

namespace {

/// Batches grow from the first size to the last: a search that stops early has started little.
constexpr std::size_t kFirstBatch = 4;
constexpr std::size_t kLastBatch = 64;
/// A batch holds the descriptors of its folders open; so both are bounded.
constexpr std::size_t kBatchFolders = 8;
constexpr std::size_t kQueueBatches = 8;

struct FileTask {
  std::size_t folder; // index into Batch::folders
  std::string name;
  bool is_special;
  WalkCounts walked; // when the walk came here
};

struct Folder {
  SharedFd fd;
  std::string path;
};

struct Batch {
  std::vector<Folder> folders;
  std::vector<FileTask> files;
  std::vector<FileFindings> findings; // as many as files, or fewer where the search stopped
  bool is_done = false;
};

void tally(FileVerdict verdict, TreeFindings &into) {
  switch (verdict) {
  case FileVerdict::searched:
    ++into.files_searched;
    break;
  case FileVerdict::binary:
    ++into.binary;
    break;
  case FileVerdict::too_large:
    ++into.too_large;
    break;
  case FileVerdict::unreadable:
    ++into.unreadable;
    break;
  case FileVerdict::special:
    ++into.special;
    break;
  }
}

class TreeSearch {
public:
  TreeSearch(const Pattern &pattern, const TreeSearchRequest &request, const Stop &stop)
      : pattern_(pattern), request_(request), stop_(stop),
        deadline_(kit::Deadline::after(std::chrono::milliseconds(request.max_ms))) {}

  TreeSearch(const TreeSearch &) = delete;
  TreeSearch &operator=(const TreeSearch &) = delete;

  /// Also after an exception: the helper ends, and the future's destructor waits for it.
  ~TreeSearch() {
    halted_ = true;
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  TreeFindings run(const Workspace &workspace, kit::UniqueFd directory, std::string start) {
    TreeWalk walk(workspace, {true, request_.max_depth, request_.ignore, false});
    FileSearcher searcher(pattern_, searcher_options());
    walk.run(std::move(directory), std::move(start),
             [&](const WalkEntry &entry) { return visit(entry, walk.counts(), searcher); });
    submit(searcher);
    {
      const std::lock_guard lock(mutex_);
      walk_ended_ = true;
    }
    changed_.notify_all();
    work(searcher);
    if (helper_.valid()) helper_.get();
    return finish(walk.counts());
  }

private:
  [[nodiscard]] FileSearcher::Options searcher_options() const {
    return {request_.context_lines, request_.max_results + 1, request_.max_file_bytes};
  }

  Visit visit(const WalkEntry &entry, const WalkCounts &counts, FileSearcher &searcher) {
    if (halted_.load(std::memory_order_relaxed)) return Visit::stop;
    if (entry.type == DT_DIR || entry.type == DT_LNK) return Visit::go_on;
    if (request_.glob != nullptr) {
      path_.clear();
      if (request_.glob->needs_path()) path_ = join(entry.below, entry.name);
      if (!request_.glob->matches(path_, entry.name, false)) return Visit::go_on;
    }
    if (filling_ == nullptr) filling_ = std::make_unique<Batch>();
    Batch &batch = *filling_;
    if (batch.folders.empty() || batch.folders.back().fd != entry.directory_fd)
      batch.folders.push_back({entry.directory_fd, std::string(entry.directory)});
    batch.files.push_back({batch.folders.size() - 1, std::string(entry.name),
                           entry.type != DT_REG && entry.type != DT_UNKNOWN, counts});
    if (batch.files.size() >= batch_size_ || batch.folders.size() >= kBatchFolders)
      submit(searcher);
    return halted_.load(std::memory_order_relaxed) ? Visit::stop : Visit::go_on;
  }

  /// Queues the batch being filled; where the queue is full, works until there is room.
  void submit(FileSearcher &searcher) {
    if (filling_ == nullptr) return;
    batch_size_ = std::min(batch_size_ * 2, kLastBatch);
    std::size_t waiting = 0;
    {
      const std::lock_guard lock(mutex_);
      batches_.push_back(std::move(filling_));
      waiting = batches_.size() - next_;
    }
    changed_.notify_one();
    if (!helper_.valid() && batch_size_ >= 4 * kFirstBatch)
      helper_ = std::async(std::launch::async, [this] { help(); });
    while (waiting >= kQueueBatches || !helper_.valid()) {
      if (!work_on_one(searcher)) return;
      const std::lock_guard lock(mutex_);
      waiting = batches_.size() - next_;
    }
  }

  void help() {
    FileSearcher searcher(pattern_, searcher_options());
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock,
                      [this] { return next_ < batches_.size() || walk_ended_ || halted_.load(); });
      }
      if (!work_on_one(searcher)) {
        const std::lock_guard lock(mutex_);
        if (halted_.load() || (walk_ended_ && next_ >= batches_.size())) return;
      }
    }
  }

  void work(FileSearcher &searcher) {
    while (work_on_one(searcher)) {
    }
  }

  /// Searches the next batch. False: there is none, or the search has halted.
  bool work_on_one(FileSearcher &searcher) {
    Batch *batch = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (halted_.load() || next_ >= batches_.size()) return false;
      batch = batches_[next_++].get();
    }
    std::size_t hits = 0;
    for (const FileTask &task : batch->files) {
      if (halted_.load(std::memory_order_relaxed) || should_halt(batch->findings.size() % 8 == 0))
        break;
      FileFindings findings;
      if (task.is_special) {
        findings.verdict = FileVerdict::special;
      } else {
        findings = searcher.search_at(batch->folders[task.folder].fd->get(), task.name.c_str());
      }
      bytes_.fetch_add(findings.bytes, std::memory_order_relaxed);
      hits += findings.hits.size();
      batch->findings.push_back(std::move(findings));
      if (hits > request_.max_results) break;
    }
    const std::lock_guard lock(mutex_);
    batch->is_done = true;
    merge();
    return true;
  }

  /// Whether time, bytes or the caller end the search.
  bool should_halt(bool looks_at_clock) {
    if (stop_()) {
      cancelled_ = true;
    } else if (looks_at_clock && deadline_.has_passed()) {
      out_of_time_ = true;
    } else if (bytes_.load(std::memory_order_relaxed) > request_.max_bytes) {
      out_of_bytes_ = true;
    } else {
      return false;
    }
    halted_ = true;
    changed_.notify_all();
    return true;
  }

  /// Takes over what is done without a gap. REQUIRES: the mutex is held.
  void merge() {
    while (merged_ < next_ && batches_[merged_]->is_done && !is_complete_) {
      Batch &batch = *batches_[merged_];
      for (std::size_t i = 0; i < batch.files.size() && !is_complete_; ++i) {
        if (i == batch.findings.size()) {
          is_complete_ = true; // the search was halted here
          break;
        }
        take(batch, i);
      }
      batches_[merged_].reset();
      ++merged_;
    }
  }

  void take(Batch &batch, std::size_t index) {
    FileFindings &findings = batch.findings[index];
    const FileTask &task = batch.files[index];
    last_walked_ = task.walked;
    tally(findings.verdict, result_);
    if (findings.hits.empty()) return;
    const std::size_t room = request_.max_results - hits_;
    if (findings.hits.size() > room) {
      findings.hits.resize(room);
      result_.truncation = Truncation::max_results;
      is_complete_ = true;
      halted_ = true;
      changed_.notify_all();
    }
    if (findings.hits.empty()) return;
    hits_ += findings.hits.size();
    result_.files.push_back(
        {join(batch.folders[task.folder].path, task.name), std::move(findings.hits)});
  }

  TreeFindings finish(const WalkCounts &walked) {
    result_.cancelled = cancelled_;
    WalkCounts counts = walked;
    if (result_.truncation == Truncation::max_results) {
      counts = last_walked_;
    } else if (out_of_time_ || out_of_bytes_) {
      result_.truncation = out_of_time_ ? Truncation::time_budget : Truncation::bytes_budget;
    }
    result_.ignored = counts.ignored;
    result_.unreadable += counts.unreadable;
    result_.unrepresentable = counts.unrepresentable;
    result_.depth = counts.depth;
    return std::move(result_);
  }

  const Pattern &pattern_;
  const TreeSearchRequest &request_;
  const Stop &stop_;
  const kit::Deadline deadline_;

  // of the walking thread
  std::unique_ptr<Batch> filling_;
  std::size_t batch_size_ = kFirstBatch;
  std::string path_;

  std::atomic<bool> halted_ = false;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> out_of_time_ = false;
  std::atomic<bool> out_of_bytes_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  // behind the mutex
  std::deque<std::unique_ptr<Batch>> batches_;
  std::size_t next_ = 0;
  std::size_t merged_ = 0;
  bool walk_ended_ = false;
  bool is_complete_ = false;
  std::size_t hits_ = 0;
  WalkCounts last_walked_;
  TreeFindings result_;

  std::future<void> helper_; // last: its end needs all of the above
};

} // namespace

TreeFindings search_tree(const Workspace &workspace, kit::UniqueFd directory, std::string start,
                         const Pattern &pattern, const TreeSearchRequest &request,
                         const Stop &stop) {
  return TreeSearch(pattern, request, stop).run(workspace, std::move(directory), std::move(start));
}

TreeFindings search_one_file(const kit::OpenFile &file, std::string path, const Pattern &pattern,
                             const TreeSearchRequest &request) {
  FileSearcher searcher(pattern,
                        {request.context_lines, request.max_results + 1, request.max_file_bytes});
  FileFindings found =
      searcher.search(file.fd.get(), static_cast<std::uint64_t>(file.status.st_size));
  TreeFindings result;
  tally(found.verdict, result);
  if (found.hits.size() > request.max_results) {
    found.hits.resize(request.max_results);
    result.truncation = Truncation::max_results;
  }
  if (!found.hits.empty()) result.files.push_back({std::move(path), std::move(found.hits)});
  return result;
}

} // namespace packhost::files
