"""Choose a penalty by cross-validation, and see whether it matters. Run it in the folder examples/."""
# %% One row in five is set aside for the final score; the folds share the others.
import plumb

chosen = plumb.tune("visitors.csv", "bought", "logistic", grid={"l2": [0.1, 1, 10, 100]}, folds=5)
print(chosen)
print("held out:", chosen.fit.heldout)

# %% Is it better than naive Bayes by more than chance?
print(plumb.compare("visitors.csv", "bought", [("logistic", {"l2": 10}), "naive-bayes"], folds=5))

# %% Would more rows help?
curve = plumb.learning_curve("visitors.csv", "bought", ["logistic"], repeats=3)
print(curve)
