#include "cli/forecast.h"

#include <gtest/gtest.h>

#include "plumb/base/foreseen.h"

namespace plumb::cli::forecast_test {
namespace {

TEST(Forecast, ReadingSaysItsShareAndWhatIsLeft) {
  Forecast forecast;
  forecast.hear({Phase::reading, 0, 1000}, 0.0);
  forecast.hear({Phase::reading, 250, 1000}, 2.0);
  EXPECT_EQ(forecast.text(2.0), "reading 25 %, 6 s left");
  forecast.hear({Phase::reading, 1000, 1000}, 8.0);
  EXPECT_EQ(forecast.text(8.0), "reading 100 %, 1 s left");
}

TEST(Forecast, AFitThatForeseesItsEndSaysItsStepAndTheTimeLeftWhateverItsPassesReport) {
  Forecast forecast;
  forecast.hear({Phase::reading, 900, 1000}, 100.0);
  forecast.hear({Phase::fitting, 3, 8}, 100.0);  // a pass before the first step
  forecast.hear({Phase::fitting, 5, 0}, 104.0);
  forecast.hear(progress_of(Phase::fitting, 0.25), 104.0);
  forecast.hear({Phase::fitting, 1, 8}, 105.0);
  EXPECT_EQ(forecast.text(105.0), "fitting step 5, 11 s left");
}

TEST(Forecast, FoldsAreNotTakenForTheStepsOfTheFitBeforeThem) {
  Forecast forecast;
  forecast.hear({Phase::fitting, 51, 0}, 1.0);
  forecast.hear(progress_of(Phase::fitting, 0.999), 1.0);
  forecast.hear(progress_of(Phase::fitting, 1e-9), 1.0);  // 10 folds begin
  forecast.hear(progress_of(Phase::fitting, 0.2), 3.0);
  EXPECT_EQ(forecast.text(3.0), "fitting 20 %, 8 s left");
}

TEST(Forecast, StagesOfOneWorkKeepItsClockThroughAllPhases) {
  Forecast forecast;
  forecast.hear(progress_of(Phase::learning, 1e-9), 10.0);
  forecast.hear(progress_of(Phase::fitting, 1e-9), 12.0);
  forecast.hear({Phase::fitting, 7, 0}, 12.0);
  forecast.hear(progress_of(Phase::fitting, 0.05), 12.0);
  forecast.hear(progress_of(Phase::evaluating, 0.1), 14.0);
  EXPECT_EQ(forecast.text(14.0), "evaluating 10 %, 36 s left");
}

TEST(Forecast, AnotherPhaseBeginsWithAClockOfItsOwn) {
  Forecast forecast;
  forecast.hear({Phase::fitting, 12, 0}, 6.0);
  forecast.hear(progress_of(Phase::fitting, 0.9), 6.0);
  forecast.hear({Phase::evaluating, 0, 20}, 6.0);
  forecast.hear({Phase::evaluating, 10, 20}, 6.5);
  EXPECT_EQ(forecast.text(6.5), "evaluating 50 %, 1 s left");
}

TEST(Forecast, WhatIsOverdueIsNotSaidToBeOverInNoTime) {
  Forecast forecast;
  forecast.hear(progress_of(Phase::fitting, 1e-9), 0.0);
  forecast.hear(progress_of(Phase::fitting, 0.9), 9.0);
  EXPECT_EQ(forecast.text(9.0), "fitting 90 %, 1 s left");
  EXPECT_EQ(forecast.text(15.0), "fitting 90 %, 6 s left");
}

TEST(Forecast, WithoutAnEndInSightTheTimeSoFarIsSaid) {
  Forecast forecast;
  forecast.hear({Phase::fitting, 2, 0}, 0.0);
  forecast.hear({Phase::fitting, 3, 0}, 7.0);
  EXPECT_EQ(forecast.text(7.0), "fitting step 3, 7 s so far");
}

TEST(Forecast, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(110), "1 min 50 s");
  EXPECT_EQ(duration_text(4200), "1 h 10 min");
}

}  // namespace
}  // namespace plumb::cli::forecast_test
