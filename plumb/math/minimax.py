"""Makes the polynomial coefficients of special-inl.h: python3 minimax.py (needs mpmath).

Remez exchange in 60 digits, then each coefficient rounded to the nearest double. Prints the coefficients, lowest
power first, and the largest error of the rounded polynomial relative to the function it is a part of.
"""
from mpmath import atanh, cos, expm1, factorial, linspace, log, lu_solve, matrix, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 60


def minimax(function, low, high, degree):
    """Coefficients of the polynomial with the least max |function - polynomial| on [low, high]."""
    count = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * i / (count - 1)) for i in range(count)]
    grid = linspace(low, high, 3001)
    exact = [function(x) for x in grid]
    for _ in range(6):
        a, b = matrix(count, count), matrix(count, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, degree + 1] = (-1) ** i
            b[i] = function(x)
        c = list(lu_solve(a, b))[: degree + 1]
        errors = [y - polyval(c[::-1], x) for x, y in zip(grid, exact)]
        points, start = [], 0  # where the error is largest in each run of one sign
        for i in range(1, len(grid) + 1):
            if i == len(grid) or errors[i] * errors[start] < 0:
                points.append(grid[max(range(start, i), key=lambda t: abs(errors[t]))])
                start = i
        assert len(points) == count, "the error does not alternate as Chebyshev's theorem wants"
    return [mpf(float(each)) for each in c]


def show(name, function, weight, low, high, degree):
    c = minimax(function, low, high, degree)
    worst = max(abs(weight(x) * (function(x) - polyval(c[::-1], x))) for x in linspace(low, high, 1000))
    print(f"{name}: error 2^{float(log(worst, 2)):.1f}")
    for each in c:
        print(f"  {float(each).hex()},  // {nstr(each, 17)}")


def series(term, x):
    return sum(term(i) * x**i for i in range(40))


# c(r) = (e^r - 1 - r - r^2/2) / r^3, relative to e^r - 1; slightly beyond ln(2)/2, because k may round the other way there.
r_end = log(2) / 2 * mpf("1.0001")
show("exp", lambda r: series(lambda i: 1 / factorial(i + 3), r),
     lambda r: r**3 / expm1(r) if r else 0, -r_end, r_end, 9)

# P(z) = (2 atanh(s) - 2 s) / s^3, z = s^2, relative to 2 atanh(s); s = f / (2 + f) and 1 + f up to sqrt(2).
z_end = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.0001")
show("log", lambda z: series(lambda i: mpf(2) / (2 * i + 3), z),
     lambda z: sqrt(z) ** 3 / (2 * atanh(sqrt(z))) if z else 0, mpf(0), z_end, 7)

ln2 = log(2)
full, short = mpf(float(ln2)), mpf(int(ln2 * 2**38)) / 2**38
print("1 / ln 2:", float(1 / ln2).hex())
print("ln 2 in two doubles:", float(full).hex(), float(ln2 - full).hex())
print("ln 2, the first of 38 bits:", float(short).hex(), float(ln2 - short).hex())
