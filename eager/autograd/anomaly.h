// Anomaly mode: every node remembers where the forward operation was called, so that the line can be named
// when its backward fails or gives NaN. What a "place" is and how it is shown is the language's matter: the
// bindings install both.
#pragma once

#include <memory>
#include <string>

#include "eager/tensor.h"

namespace framejit::eager {

class GradNode;

/// Where the operation of a node was called.
class FRAMEJIT_API ForwardPlace {
 public:
  virtual ~ForwardPlace() = default;
  virtual std::string text() const = 0;

  /// Of a node made by another node's backward: that one, and where it was made.
  std::string cause_name;
  std::shared_ptr<const ForwardPlace> cause;
};

struct AnomalyReporter {
  std::shared_ptr<ForwardPlace> (*here)() = nullptr;
  void (*warn)(const std::string& message) = nullptr;
};
FRAMEJIT_API void set_anomaly_reporter(AnomalyReporter reporter);
/// Whether anomaly mode also looks for NaN in every gradient.
FRAMEJIT_API void set_anomaly_checks_nan(bool check);
FRAMEJIT_API bool anomaly_checks_nan();

/// Called for every node made in anomaly mode.
void remember_place(GradNode& node);
/// Warns with the place of the forward call of `node`.
void report_anomaly(const GradNode& node);
/// Raises when a gradient that `node` computed has a NaN.
void check_for_nan(const GradNode& node, const std::vector<Tensor>& gradients);

}  // namespace framejit::eager
