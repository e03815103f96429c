"""Which of the things known of a visitor say whether he buys? Logistic regression with tests. Run it in examples/."""
# %% Without a penalty a fit has standard errors, tests and intervals.
import plumb

fit = plumb.fit("visitors.csv", target="bought", model="logistic", l2=0, test="none")
print(fit.model)

# %% The same as a table.
table = fit.summary()
print(table)

# %% The picture: weights with their intervals.
line = plumb.fit("height_weight.csv", target="weight", model="least-squares", test="none")
picture = line.plot()
if picture is not None:
    picture.save("line.svg")

# %% Least squares has the interval of every prediction as well.
print(line.model.predict({"height": [1.6, 1.7, 1.8]}, interval=0.95))
