// The public interface: exactly the headers that are installed. A program that uses plumb includes this one.
#pragma once

#include "plumb/base/choices.h"         // IWYU pragma: export
#include "plumb/base/error.h"           // IWYU pragma: export
#include "plumb/base/file.h"            // IWYU pragma: export
#include "plumb/base/json_writer.h"     // IWYU pragma: export
#include "plumb/base/machine.h"         // IWYU pragma: export
#include "plumb/base/memory.h"          // IWYU pragma: export
#include "plumb/base/number.h"          // IWYU pragma: export
#include "plumb/base/options.h"         // IWYU pragma: export
#include "plumb/base/parallel.h"        // IWYU pragma: export
#include "plumb/base/pattern.h"         // IWYU pragma: export
#include "plumb/base/random.h"          // IWYU pragma: export
#include "plumb/base/run.h"             // IWYU pragma: export
#include "plumb/base/span.h"            // IWYU pragma: export
#include "plumb/base/text.h"            // IWYU pragma: export
#include "plumb/base/utf8.h"            // IWYU pragma: export
#include "plumb/data/block_cache.h"     // IWYU pragma: export
#include "plumb/data/entries.h"         // IWYU pragma: export
#include "plumb/data/entry_names.h"     // IWYU pragma: export
#include "plumb/data/examples.h"        // IWYU pragma: export
#include "plumb/data/read_options.h"    // IWYU pragma: export
#include "plumb/data/rounding.h"        // IWYU pragma: export
#include "plumb/data/row_set.h"         // IWYU pragma: export
#include "plumb/data/source.h"          // IWYU pragma: export
#include "plumb/data/sparse_writer.h"   // IWYU pragma: export
#include "plumb/data/summary.h"         // IWYU pragma: export
#include "plumb/data/table.h"           // IWYU pragma: export
#include "plumb/data/values.h"          // IWYU pragma: export
#include "plumb/data/writer.h"          // IWYU pragma: export
#include "plumb/evaluate/metrics.h"     // IWYU pragma: export
#include "plumb/feature/expression.h"   // IWYU pragma: export
#include "plumb/feature/feature_map.h"  // IWYU pragma: export
#include "plumb/feature/formula.h"      // IWYU pragma: export
#include "plumb/feature/plan.h"         // IWYU pragma: export
#include "plumb/feature/term.h"         // IWYU pragma: export
#include "plumb/math/simd.h"            // IWYU pragma: export
#include "plumb/model/explain.h"        // IWYU pragma: export
#include "plumb/model/model.h"          // IWYU pragma: export
#include "plumb/model/model_file.h"     // IWYU pragma: export
#include "plumb/model/record.h"         // IWYU pragma: export
#include "plumb/model/weights.h"        // IWYU pragma: export
#include "plumb/report/check.h"         // IWYU pragma: export
#include "plumb/report/memory_plan.h"   // IWYU pragma: export
#include "plumb/report/report.h"        // IWYU pragma: export
#include "plumb/report/style.h"         // IWYU pragma: export
#include "plumb/select/split.h"         // IWYU pragma: export
#include "plumb/train/least_squares.h"
#include "plumb/train/penalty.h"
#include "plumb/train/rank_rule.h"  // IWYU pragma: export
#include "plumb/train/trainer.h"        // IWYU pragma: export
