"""A spam filter from a file of messages: fit, look, explain, save. Run it in the folder examples/."""
# %% The file has no header, so its columns get names here. The model, its features and its penalty are chosen.
import plumb

fit = plumb.fit("messages.tsv", target="label", columns=["label", "text"], effort="quick")
print(fit)

# %% How sure is it of two new messages?
messages = ["call now for a free cash prize", "see you at dinner tonight"]
print(dict(zip(fit.model.labels, fit.model.predict_proba(messages).T.round(3))))

# %% Which words decide?
bayes = plumb.fit("messages.tsv", target="label", columns=["label", "text"], model="naive-bayes", test="none").model
print(bayes.explain(messages[:1], top=6))

# %% Held-out scores are those of one split; cross-validation uses every row.
print(plumb.cross_validate("messages.tsv", "label", "naive-bayes", columns=["label", "text"], folds=5))
