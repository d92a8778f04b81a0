#include "eager/autograd/anomaly.h"

#include <atomic>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_node.h"
#include "eager/dispatch.h"
#include "generated/ops/comparison.h"
#include "generated/ops/reduction.h"

namespace framejit::eager {
namespace {

AnomalyReporter reporter;
std::atomic<bool> checks_nan{true};

bool has_nan(const Tensor& tensor) {
  if (!tensor.defined() || tensor.is_symbolic() || !is_inexact(tensor.dtype())) return false;
  GradModeScope no_grad(false);
  return *ops::any(ops::isnan(tensor)).data_as<bool>();
}

}  // namespace

void set_anomaly_reporter(AnomalyReporter installed) { reporter = installed; }
void set_anomaly_checks_nan(bool check) { checks_nan = check; }
bool anomaly_checks_nan() { return checks_nan; }

void remember_place(GradNode& node) {
  if (!reporter.here) return;
  std::shared_ptr<ForwardPlace> place = reporter.here();
  if (const GradNode* running = current_node()) {
    place->cause_name = running->name();
    if (const NodeExtras* extras = running->find_extras()) place->cause = extras->place;
  }
  node.extras().place = std::move(place);
}

void report_anomaly(const GradNode& node) {
  if (!reporter.warn) return;
  const NodeExtras* extras = node.find_extras();
  std::string name = node.name();
  const ForwardPlace* place = extras ? extras->place.get() : nullptr;
  if (!place) {
    reporter.warn(concat("Error detected in ", name,
                         ". No forward pass information available. Enable detect anomaly during forward pass "
                         "for more information."));
    return;
  }
  std::string text = concat("Error detected in ", name,
                            ". Traceback of forward call that caused the error:\n", place->text());
  for (; place && !place->cause_name.empty(); place = place->cause.get()) {
    text += concat("\n\nPrevious calculation was induced by ", place->cause_name, ".");
    if (place->cause)
      text +=
          concat(" Traceback of forward call that induced the previous calculation:\n", place->cause->text());
  }
  reporter.warn(text);
}

void check_for_nan(const GradNode& node, const std::vector<Tensor>& gradients) {
  for (size_t i = 0; i < gradients.size(); ++i)
    FRAMEJIT_CHECK(!has_nan(gradients[i]), "Function '", node.name(), "' returned nan values in its ", i,
                   "th output.");
}

}  // namespace framejit::eager
