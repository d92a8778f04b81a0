// Golden files: tests/golden/<name>.txt holds cases, each an input and the output that a stage gave for it.
//
//   === name of the case
//   input ...
//   --->
//   output ...
//
// Run with FRAMEJIT_UPDATE_GOLDEN=1 to write the outputs anew, and read the difference before committing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace framejit::testing {

struct GoldenCase {
  std::string name, input, output;
};

inline std::vector<GoldenCase> read_golden(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << "no golden file " << path;
  std::vector<GoldenCase> cases;
  std::string* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), "", ""});
      part = &cases.back().input;
    } else if (line == "--->") {
      part = &cases.back().output;
    } else if (part) {
      *part += line + "\n";
    }
  }
  return cases;
}

/// Applies `stage` to the input of every case of tests/golden/<name>.txt.
inline void check_golden(const std::string& name,
                         const std::function<std::string(const std::string&)>& stage) {
  std::string path = std::string(FRAMEJIT_SOURCE_DIR) + "/tests/golden/" + name + ".txt";
  std::vector<GoldenCase> cases = read_golden(path);
  EXPECT_FALSE(cases.empty()) << path;
  std::ostringstream renewed;
  for (const GoldenCase& golden : cases) {
    std::string output = stage(golden.input);
    renewed << "=== " << golden.name << "\n" << golden.input << "--->\n" << output;
    if (!std::getenv("FRAMEJIT_UPDATE_GOLDEN")) {
      EXPECT_EQ(output, golden.output) << name << ": " << golden.name;
    }
  }
  if (std::getenv("FRAMEJIT_UPDATE_GOLDEN")) std::ofstream(path) << renewed.str();
}

}  // namespace framejit::testing
