// From a file to predictions: reads a CSV, fits a line, saves the model, loads it and predicts every row.
//   c++ -std=c++20 file_to_predictions.cpp $(pkg-config --cflags --libs plumb) -o file_to_predictions
//   ./file_to_predictions examples/height_weight.csv weight model.plumb
#include <plumb/plumb.h>

#include <iostream>

int main(int count, char** words) try {
  if (count != 4) {
    std::cerr << "usage: file_to_predictions DATA TARGET MODEL\n";
    return 2;
  }
  const plumb::Data data = plumb::read(words[1], {.target = words[2]});
  const plumb::Fit fit = plumb::fit(data, plumb::LeastSquares{}, {.test = plumb::TestChoice::none()});
  std::cout << fit.summary();
  fit.save(words[3]);
  for (const plumb::Prediction& each : plumb::load(words[3]).predict(data)) std::cout << each.value << "\n";
  return 0;
} catch (const plumb::Error& error) {
  std::cerr << "error: " << error.what() << "\n";
  if (!error.hint().empty()) std::cerr << "  hint: " << error.hint() << "\n";
  return 1;
}
