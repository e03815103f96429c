// A program a user could have written: reads a CSV, fits a line, saves the model, loads it and predicts.
//   c++ -std=c++20 fit_and_predict.cpp $(pkg-config --cflags --libs plumb) -o fit_and_predict
//   ./fit_and_predict examples/height_weight.csv weight model.plumb
#include <plumb/plumb.h>

#include <iostream>

int main(int count, char** words) {
  if (count != 4) {
    std::cerr << "usage: fit_and_predict DATA TARGET MODEL\n";
    return 2;
  }
  try {
    plumb::Executor executor(2);
    const plumb::Run run{executor};

    // Bytes to examples.
    const auto source = plumb::open_source({words[1]});
    plumb::FeatureOptions options;
    options.target = words[2];
    const plumb::FeaturePlan plan = plumb::plan_features(*source, options);
    source->select(plan.selected);
    plumb::Tables tables = plumb::read_all(*source, run);
    const plumb::LeastSquaresTrainer trainer;
    const plumb::Learnt learnt =
        plumb::learn_features(tables, plan, plumb::RowSet(tables.rows, true), trainer.wishes());
    plumb::FeatureMap::Unseen unseen;
    const plumb::Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);

    // Examples to a model, and to a file.
    const plumb::Trained fit = trainer.train({examples, learnt.map}, run);
    plumb::save_model(words[3], fit.model, fit.record);

    // The file to predictions.
    const plumb::SavedModel saved = plumb::load_model(words[3]);
    plumb::Predictor predictor(saved.model);
    examples.block(0).for_each([&](const plumb::Example& example) {
      std::cout << plumb::number_text(predictor.predict(example.x).value, 6) << " for "
                << plumb::number_text(example.target) << "\n";
    });
    return 0;
  } catch (const plumb::Error& error) {
    std::cerr << "error: " << error.what() << "\n";
    if (!error.hint().empty()) std::cerr << "  hint: " << error.hint() << "\n";
    return 1;
  }
}
