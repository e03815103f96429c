#include "plumb/model/how_read.h"

#include <string>
#include <string_view>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/data/date_text.h"

namespace plumb {
namespace {

char mark(Description& description, const char* key, std::string_view choices, bool may_be_none) {
  const std::string text = description.text(key);
  if (text.empty() && may_be_none) return 0;
  if (text.size() != 1 || choices.find(text) == choices.npos)
    throw Error(ErrorCode::model, "a mark in its numbers is " + in_quotes(text));
  return text.front();
}

}  // namespace

void write_how_read(JsonWriter& json, const HowRead& reading) {
  json.key("reading").begin_object().member("default_na", reading.default_na).key("columns").begin_array();
  for (const ReadOptions::KnownColumn& column : reading.columns) {
    const std::string thousands = column.style.thousands == 0 ? "" : std::string(1, column.style.thousands);
    json.begin_object().member("name", column.name).member("decimal", std::string(1, column.style.decimal));
    json.member("thousands", thousands).member("unit", column.style.unit).member("date", column.date_format);
    json.end_object();
  }
  json.end_array().end_object();
}

HowRead read_how_read(Description& description) {
  HowRead reading;
  description.reader().enter_object();
  reading.default_na = description.truth("default_na");
  JsonReader& columns = description.at("columns");
  columns.enter_array();
  while (columns.next_item()) {
    columns.enter_object();
    ReadOptions::KnownColumn column{.name = description.text("name")};
    column.style.decimal = mark(description, "decimal", ".,", false);
    column.style.thousands = mark(description, "thousands", ".,' ", true);
    column.style.unit = description.text("unit");
    column.date_format = description.text("date");
    if (!column.date_format.empty() && !is_date_format(column.date_format))
      throw Error(ErrorCode::model, "a format of its dates is " + in_quotes(column.date_format));
    description.leave();
    reading.columns.push_back(std::move(column));
  }
  description.leave();
  return reading;
}

}  // namespace plumb
