#include "weir/connectors/file/sink_directory.h"

#include <algorithm>

#include "weir/base/log.h"

namespace weir::connectors {
namespace {

bool is_about_owner(const std::string& name) {
  return name == kOwnerName || name == kHoldName || OwnerDraftName::parse(name);
}

std::string called(const SinkOwner& owner) {
  return "sink " + owner.sink_name + " (id " + owner.sink.to_hex() + ") of job " +
         owner.job.to_hex();
}

// "out[1]" -> "out".
std::string without_subtask(const std::string& name) { return name.substr(0, name.rfind('[')); }

}  // namespace

SinkDirectory::SinkDirectory(env::FileSystem& files, std::string path, const SinkContext& context)
    : files_(files),
      path_(std::move(path)),
      context_(context),
      us_{.job = context.job, .sink = context.sink, .sink_name = without_subtask(context.name)} {}

Result<commit::Outside> SinkDirectory::open(commit::Rewind rewind) {
  if (path_.empty())
    return Error{Code::kInvalid, "the output directory has no name; give the sink one"};
  WEIR_TRY(files_.make_directories(path_));
  WEIR_ASSIGN(const auto claimed, claim());
  WEIR_ASSIGN(const auto names, list());
  commit::Outside outside;
  Names newer;
  for (const auto& name : names) {
    const auto visible = VisibleName::parse(name);
    // Without checkpoints output is replaced, not continued; and an earlier run's ids say nothing about ours.
    if (!visible || !context_.has_checkpoints || claimed != Claim::kOurs) continue;
    outside.highest_visible = std::max(outside.highest_visible, std::optional(visible->checkpoint));
    if (visible->checkpoint > restored() && is_mine(visible->subtask)) newer.push_back(name);
  }
  if (outside.highest_visible > restored()) {
    if (rewind == commit::Rewind::kRefused)
      return outside;  // It will be refused: then nothing is to be removed.
    log::Event(log::Level::kWarning, "OutputRewound")
        .field("sink", context_.name)
        .field("checkpoint", restored().value)
        .field("removed", newer.size());
    WEIR_TRY(remove_all(newer));
  }
  Names garbage;
  std::copy_if(names.begin(), names.end(), std::back_inserter(garbage),
               [this](const std::string& name) { return is_garbage(name); });
  WEIR_TRY(remove_all(garbage));
  return outside;
}

// A part belongs to the first completed checkpoint after the one it was opened after. If that is the restored one or an
// older one, it may be named in anyone's state; if not, nothing names it and nothing ever will.
bool SinkDirectory::is_garbage(const std::string& name) const {
  if (const auto part = StagedName::parse(name)) {
    if (part->sink != context_.sink) return false;
    // Of a run that waited in vain for its Subtask 0: while we hold the directory it cannot become that run's.
    if (part->job != context_.job) return hold_ != nullptr;
    return is_mine(part->subtask) && part->after >= restored() &&
           !(part->epoch == context_.epoch && part->attempt == context_.attempt);
  }
  const auto left = OwnerDraftName::parse(name);
  return left && left->job == context_.job && left->sink == context_.sink &&
         is_mine(left->subtask) && *left != draft();
}

Status SinkDirectory::hold(const SinkOwner& owner) {
  using Kind = env::LockOutcome::Kind;
  auto outcome = files_.lock(env::join(path_, kHoldName));
  if (!outcome) return outcome.error().during("opening output directory " + path_);
  if (outcome->kind == Kind::kHeldElsewhere) return held_elsewhere(owner, outcome->why);
  if (outcome->kind == Kind::kNoLocks)
    // No reason not to write: the lock guards against a mistake of others.
    log::Event(log::Level::kWarning, "OutputNotLocked")
        .field("sink", context_.name)
        .field("directory", path_)
        .field("reason", outcome->why)
        .field(
            "advice",
            "nothing keeps another job's --overwrite-output from taking the directory while this "
            "one runs");
  hold_ = std::move(outcome->lock);
  return ok();
}

// Whom the owner file names need not be the one: a run that is taking the directory over holds it already.
Error SinkDirectory::held_elsewhere(const SinkOwner& owner, const std::string& why) const {
  if (owner.job == us_.job)
    return refused(
        Code::kUnavailable,
        why +
            ". An attempt before this one, or a run that only looks, has not let it go; if that "
            "lasts, stop the process that holds it");
  return refused(Code::kRefused,
                 why + ". It belongs to " + called(owner) +
                     ", and another run writes to it: that job, or one that takes it over. Stop "
                     "that run, or give this sink another directory");
}

// Whose directory it is: the first one to put an owner file decides. That comes before any lock, so that two sinks of one
// job hear the same whichever is first.
Result<SinkOwner> SinkDirectory::first_owner() {
  WEIR_ASSIGN(auto owner, read_owner(files_, path_));
  if (owner) return *std::move(owner);
  WEIR_ASSIGN(const auto names, list());
  WEIR_TRY(refuse_foreign(names));
  if (context_.restored)  // Somebody took the output away, or mounted another disk.
    log::Event(log::Level::kWarning, "OutputDirectoryIsEmpty")
        .field("sink", context_.name)
        .field("directory", path_)
        .field("restored", restored().value)
        .field("advice",
               "what the run wrote before lies elsewhere: give the sink that directory again, or "
               "begin anew with --restart");
  WEIR_TRY(put_owner(files_, path_, us_, draft(), PutOwner::kIfAbsent));
  return present_owner();
}

Result<SinkOwner> SinkDirectory::present_owner() const {
  WEIR_ASSIGN(auto owner, read_owner(files_, path_));
  if (!owner)
    return Error{Code::kUnavailable,
                 "opening output directory " + path_ + ": its owner file has vanished"};
  return *std::move(owner);
}

Result<SinkDirectory::Claim> SinkDirectory::claim() {
  WEIR_ASSIGN(auto owner, first_owner());
  WEIR_TRY(check_same_sink(owner));
  if (context_.subtask.value != 0)
    return owner.job == us_.job ? Claim::kOurs : Claim::kLeftToSubtask0;
  WEIR_TRY(hold(owner));
  WEIR_ASSIGN(owner, present_owner());  // It may have been another's until now.
  WEIR_TRY(check_same_sink(owner));
  if (owner.job != us_.job) {
    WEIR_TRY(check_may_overwrite(owner));
    WEIR_TRY(take_over(owner));
  }
  return Claim::kOurs;
}

Status SinkDirectory::check_same_sink(const SinkOwner& owner) const {
  if (owner.sink == us_.sink) return ok();
  const auto belongs = "it belongs to " + called(owner);
  if (owner.job == us_.job)
    return refused(Code::kInvalid,
                   belongs + ", this very job. Give each sink a directory of its own");
  return refused(Code::kInvalid,
                 belongs +
                     ". Give this sink another directory, or empty this one when no job writes to "
                     "it any more; if it is the same sink of a changed program, give it a uid");
}

Status SinkDirectory::check_may_overwrite(const SinkOwner& owner) const {
  // Taking it back would not bring back what this run had made visible: what follows the restored checkpoint would look
  // like all of its output.
  if (context_.restored)
    return refused(Code::kInvalid, "it belongs to " + called(owner) +
                                       ", and this run resumes, which overwrites nothing. Give the "
                                       "sink the directory that it wrote to before; or, where it "
                                       "is new in the job, empty this one; or begin anew with "
                                       "--restart");
  if (context_.options->get(kOverwriteOutput)) return ok();
  const std::string why_anew =
      context_.has_checkpoints
          ? ""
          : ". Without checkpoints (--checkpoint-interval 0) a job goes on with no run and "
            "begins anew each time: give it an interval";
  return refused(Code::kInvalid, "it holds output of an earlier run, " + called(owner) + why_anew +
                                     ". Empty it, or remove that output with --overwrite-output");
}

// The old parts are gone for good before the directory is ours: after a crash it is still theirs, and taken over again.
Status SinkDirectory::take_over(const SinkOwner& owner) {
  WEIR_ASSIGN(const auto names, list());
  Names theirs;
  for (const auto& name : names) {
    const auto staged = StagedName::parse(name);
    const auto draft = OwnerDraftName::parse(name);
    if (VisibleName::parse(name) || (staged && staged->job == owner.job) ||
        (draft && draft->job == owner.job))
      theirs.push_back(name);
  }
  log::Event(log::Level::kWarning, "OutputOverwritten")
      .field("sink", context_.name)
      .field("job", owner.job.to_hex())
      .field("removed", theirs.size());
  WEIR_TRY(remove_all(theirs));
  return put_owner(files_, path_, us_, draft(), PutOwner::kReplace);
}

Error SinkDirectory::refused(Code code, const std::string& why) const {
  return {code, "opening output directory " + path_ + " for sink " + us_.sink_name + ": " + why};
}

Status SinkDirectory::refuse_foreign(const Names& names) const {
  for (const auto& name : names) {
    const auto staged = StagedName::parse(name);
    const bool is_ours = staged && staged->job == context_.job && staged->sink == context_.sink;
    if (is_ours || is_about_owner(name)) continue;
    return refused(
        Code::kInvalid,
        "it holds " + name + ", which is not this job's. Give the sink an empty directory");
  }
  return ok();
}

// Another Subtask may remove the same.
Status SinkDirectory::remove_all(const Names& names) {
  if (names.empty()) return ok();
  for (const auto& name : names)
    if (auto removed = files_.remove(env::join(path_, name));
        !removed && removed.error().code != Code::kNotFound)
      return removed;
  return files_.sync_directory(path_);
}

Result<SinkDirectory::Names> SinkDirectory::list() const {
  WEIR_ASSIGN(const auto entries, files_.list(path_));
  Names names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace weir::connectors
