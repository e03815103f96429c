#include "plumb/report/plot_smooth.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <utility>

namespace plumb {
namespace {

constexpr std::size_t kLeastDifferent = 8;
constexpr std::size_t kSmoothPlaces = 60;  // of the curve
constexpr std::size_t kMostFitted = 4000;  // that lines are fitted to
constexpr int kRounds = 3;

using Cloud = std::vector<std::pair<double, double>>;  // sorted by x

Cloud sorted_cloud(In x, In y) {
  Cloud cloud;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) cloud.emplace_back(x[i], y[i]);
  std::sort(cloud.begin(), cloud.end());
  return cloud;
}

Cloud means_of_neighbours(const Cloud& cloud) {
  if (cloud.size() <= kMostFitted) return cloud;
  Cloud means;
  for (std::size_t group = 0; group < kMostFitted; ++group) {
    const std::size_t begin = group * cloud.size() / kMostFitted, end = (group + 1) * cloud.size() / kMostFitted;
    const double share = 1.0 / static_cast<double>(end - begin);  // before adding: sums could overflow
    double x = 0.0, y = 0.0;
    for (std::size_t i = begin; i < end; ++i) x += cloud[i].first * share, y += cloud[i].second * share;
    means.emplace_back(x, y);
  }
  return means;
}

// Where the curve is computed: at different x, evenly in the order of the points, so that it is dense where they are.
// Both ends are included.
std::vector<double> places_of(const Cloud& cloud) {
  std::vector<double> places;
  for (std::size_t k = 0; k < kSmoothPlaces; ++k) {
    const double x = cloud[k * (cloud.size() - 1) / (kSmoothPlaces - 1)].first;
    if (places.empty() || x > places.back()) places.push_back(x);
  }
  return places;
}

std::size_t different(const Cloud& cloud) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < cloud.size(); ++i) count += cloud[i].first > cloud[i - 1].first ? 1 : 0;
  return count;
}

double cube(double x) { return x * x * x; }

// The value at x of the line through the `nearest` points around it.
double local_line(const Cloud& cloud, const std::vector<double>& trust, std::size_t nearest, double x) {
  std::size_t begin = 0;
  while (begin + nearest < cloud.size() && cloud[begin + nearest].first - x < x - cloud[begin].first) ++begin;
  const double reach = std::max(x - cloud[begin].first, cloud[begin + nearest - 1].first - x) * 1.0001;
  double sum = 0.0, mean_x = 0.0, mean_y = 0.0;
  std::vector<double> weight(nearest);
  for (std::size_t i = 0; i < nearest; ++i) {
    const double distance = reach > 0.0 ? std::min(std::abs(cloud[begin + i].first - x) / reach, 1.0) : 0.0;
    weight[i] = cube(1.0 - cube(distance)) * trust[begin + i];
    sum += weight[i];
  }
  if (!(sum > 0.0)) return NAN;
  for (std::size_t i = 0; i < nearest; ++i) {
    mean_x += weight[i] / sum * cloud[begin + i].first;
    mean_y += weight[i] / sum * cloud[begin + i].second;
  }
  double xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < nearest; ++i) {
    const double dx = reach > 0.0 ? (cloud[begin + i].first - mean_x) / reach : 0.0;
    xx += weight[i] / sum * dx * dx;
    xy += weight[i] / sum * dx * (cloud[begin + i].second - mean_y);
  }
  return xx > 1e-6 ? mean_y + xy / xx * ((x - mean_x) / reach) : mean_y;
}

double interpolated(const SmoothCurve& curve, double x) {
  const auto above = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  if (above == curve.x.begin()) return curve.y.front();
  if (above == curve.x.end()) return curve.y.back();
  const auto k = static_cast<std::size_t>(above - curve.x.begin());
  const double part = (x - curve.x[k - 1]) / (curve.x[k] - curve.x[k - 1]);
  return curve.y[k - 1] * (1.0 - part) + curve.y[k] * part;
}

// The robustness weight of each point, from its distance to the curve.
void judge(const Cloud& cloud, const SmoothCurve& curve, std::vector<double>& trust) {
  std::vector<double> distance(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i)
    distance[i] = std::abs(cloud[i].second - interpolated(curve, cloud[i].first));
  std::vector<double> order = distance;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end());
  const double limit = 6.0 * *middle;
  if (!(limit > 0.0)) return;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const double part = std::min(distance[i] / limit, 1.0);
    trust[i] = (1.0 - part * part) * (1.0 - part * part);
  }
}

}  // namespace

SmoothCurve smooth_curve(In x, In y, double span) {
  assert(x.size() == y.size());
  const Cloud cloud = means_of_neighbours(sorted_cloud(x, y));
  if (cloud.empty() || different(cloud) < kLeastDifferent) return {};
  const std::vector<double> places = places_of(cloud);
  const auto wanted = static_cast<std::size_t>(std::ceil(span * static_cast<double>(cloud.size())));
  const std::size_t nearest = std::clamp<std::size_t>(wanted, 3, cloud.size());
  std::vector<double> trust(cloud.size(), 1.0);
  SmoothCurve curve{places, std::vector<double>(places.size())};
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) judge(cloud, curve, trust);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double value = local_line(cloud, trust, nearest, places[k]);
      if (!std::isfinite(value)) return round > 0 ? curve : SmoothCurve();
      curve.y[k] = value;
    }
  }
  return curve;
}

}  // namespace plumb
