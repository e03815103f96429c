// The ledger of an online fit (plumb/train/ledger.h) as text and as JSON.
#pragma once

#include <string>

#include "plumb/base/json_writer.h"
#include "plumb/model/record.h"
#include "plumb/report/style.h"

namespace plumb::report_detail {

// "clean after 3 passes, 12 mistakes (at most 984)"; empty for a record without a ledger.
std::string ledger_line(const Record& record);
// A table of passes, and the mistake bound.
std::string ledger_text(const Record& record, const Style& style);
// "ledger": {...}; nothing for a record without one.
void ledger_json(JsonWriter& json, const Record& record);

}  // namespace plumb::report_detail
