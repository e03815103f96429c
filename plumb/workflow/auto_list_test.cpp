#include "plumb/workflow/auto_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace plumb {
namespace {

std::vector<AutoSetting> settings(AutoRows rows, Kind target, const std::vector<std::string>& given = {},
                                  Effort effort = Effort::quick) {
  TrainerChoice trainers;
  return auto_settings(rows, target, effort, DataRequest(), trainers, given);
}

const std::string* value_of(const AutoSetting& setting, std::string_view option) {
  for (const auto& [name, value] : setting.candidate.differs)
    if (name == option) return &value;
  return nullptr;
}

TEST(AutoList, EveryEntryMakesSettings) {  // each option exists, and takes its values
  std::set<const AutoModel*> made;
  for (const AutoRows rows : {AutoRows::texts, AutoRows::entries, AutoRows::table})
    for (const Kind target : {Kind::category, Kind::number}) {
      const std::vector<AutoSetting> all = settings(rows, target, {}, Effort::full);
      EXPECT_GE(all.size(), 2u);
      for (const AutoSetting& setting : all) {
        made.insert(setting.from);
        EXPECT_EQ(setting.candidate.entry->target, target);
        EXPECT_NO_THROW(setting.candidate.setup->make());
      }
      EXPECT_LT(settings(rows, Kind::category).size(), settings(rows, Kind::category, {}, Effort::full).size());
    }
  EXPECT_EQ(made.size(), auto_list().size());
}

TEST(AutoList, SettingsWithTheSameFeaturesShareAPlan) {
  const std::vector<AutoSetting> all = settings(AutoRows::texts, Kind::category);
  for (const AutoSetting& a : all)
    for (const AutoSetting& b : all) {
      bool same = true;
      for (const std::string option : {"ngrams", "tfidf", "sublinear", "binary"}) {
        const std::string* const one = value_of(a, option);
        const std::string* const two = value_of(b, option);
        same = same && (one == nullptr) == (two == nullptr) && (one == nullptr || *one == *two);
      }
      EXPECT_EQ(a.plan == b.plan, same);
    }
}

TEST(AutoList, WhatIsGivenStays) {
  for (const AutoSetting& each : settings(AutoRows::texts, Kind::category, {"ngrams"}))
    EXPECT_EQ(value_of(each, "ngrams"), nullptr);
  for (const AutoSetting& each : settings(AutoRows::table, Kind::category, {"C"}))
    EXPECT_EQ(value_of(each, "l2"), nullptr);
  // Only naive Bayes has this one.
  const std::vector<AutoSetting> counted = settings(AutoRows::texts, Kind::category, {"smoothing"});
  EXPECT_FALSE(counted.empty());
  for (const AutoSetting& each : counted) EXPECT_EQ(each.candidate.entry->name, "naive-bayes");
  EXPECT_TRUE(settings(AutoRows::texts, Kind::category, {"digits"}).empty());
  EXPECT_LT(settings(AutoRows::table, Kind::category, {"scale"}).size(),
            settings(AutoRows::table, Kind::category).size());
}

TEST(AutoList, OneSettingIsThereOnce) {
  for (const AutoRows rows : {AutoRows::texts, AutoRows::entries, AutoRows::table}) {
    std::set<std::string> seen;
    for (const AutoSetting& each : settings(rows, Kind::category, {"scale", "ngrams"})) {
      std::string text(each.candidate.entry->name);
      for (const auto& [name, value] : each.candidate.differs) text += " " + name + "=" + value;
      EXPECT_TRUE(seen.insert(text).second) << text;
    }
  }
}

}  // namespace
}  // namespace plumb
