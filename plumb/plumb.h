// The public interface: read, fit, judge, save, load, predict. The library never prints, keeps global state or starts
// threads unasked; every failure is a plumb::Error. examples/ shows how to use it.
#pragma once

// IWYU pragma: begin_exports
#include "plumb/base/error.h"
#include "plumb/base/progress.h"
#include "plumb/data/memory_rows.h"
#include "plumb/evaluate/metric.h"
#include "plumb/workflow/data.h"
#include "plumb/workflow/fit.h"
#include "plumb/workflow/judging.h"
#include "plumb/workflow/model.h"
#include "plumb/workflow/models.h"
// IWYU pragma: end_exports
