#include "plumb/text/lexicon.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "plumb/math/special.h"

namespace plumb {
namespace {

// Counts of documents with the term (a of the class, b of the rest) and without it (c, d).
struct Fourfold {
  double a, b, c, d;
};

Fourfold fourfold(const TermStatistics& all, std::uint32_t number, std::size_t which) {
  const std::size_t classes = all.class_rows.size();
  const double a = all.class_documents[number * classes + which], in_class = static_cast<double>(all.class_rows[which]);
  const double with = all.documents[number], rows = static_cast<double>(all.rows);
  return {a, with - a, in_class - a, rows - in_class - with + a};
}

// n (ad - bc)^2 / ((a + b)(c + d)(a + c)(b + d)); a term in no document, or in all, carries no information.
double chi2(const Fourfold& t) {
  const double difference = t.a * t.d - t.b * t.c;
  const double product = (t.a + t.b) * (t.c + t.d) * (t.a + t.c) * (t.b + t.d);
  return product == 0 ? 0.0 : (t.a + t.b + t.c + t.d) * difference * difference / product;
}

// x/n ln(n x / (r c)), 0 for x = 0.
double information(double x, double n, double r, double c) { return x == 0 ? 0.0 : x / n * math::log(n * x / (r * c)); }

// By decreasing document frequency, ties by first occurrence. Most terms are in few documents, so this is a counting
// sort.
std::vector<std::uint32_t> by_documents(const TermStatistics& all, std::vector<std::uint32_t>& kept) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return all.first[a] < all.first[b]; };
  if (!std::ranges::is_sorted(kept, earlier)) std::ranges::sort(kept, earlier);
  std::vector<std::size_t> at(all.rows + 2);
  for (const std::uint32_t i : kept) ++at[all.rows - all.documents[i] + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> ordered(kept.size());
  for (const std::uint32_t i : kept) ordered[at[all.rows - all.documents[i]]++] = i;
  return ordered;
}

}  // namespace

double term_score(const TermStatistics& all, std::uint32_t number, TermRanking ranking) {
  if (ranking == TermRanking::count) return static_cast<double>(all.count[number]);
  double score = 0;
  const double n = static_cast<double>(all.rows), with = all.documents[number];
  for (std::size_t which = 0; which < all.class_rows.size(); ++which) {
    const Fourfold t = fourfold(all, number, which);
    if (ranking == TermRanking::chi2) {
      score = std::max(score, chi2(t));
    } else {
      score += information(t.a, n, with, t.a + t.c) + information(t.c, n, n - with, t.a + t.c);
    }
  }
  return score;
}

std::vector<std::uint32_t> select_terms(const TermStatistics& all, const TermSelection& selection) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < all.documents.size(); ++i) {
    const std::uint32_t documents = all.documents[i];
    if (documents > 0 && documents >= selection.min_documents && documents <= selection.max_documents &&
        all.count[i] >= selection.min_count) {
      kept.push_back(i);
    }
  }
  // In the order of first occurrence, which also breaks ties, because the sorts below are stable.
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return all.first[a] < all.first[b]; };
  if (!std::ranges::is_sorted(kept, earlier)) std::ranges::sort(kept, earlier);
  const auto rank_by = [&](auto score) {
    std::vector<std::pair<double, std::uint32_t>> ranked;
    ranked.reserve(kept.size());
    for (const std::uint32_t i : kept) ranked.emplace_back(score(i), i);
    std::ranges::stable_sort(ranked, std::ranges::greater(), [](const auto& each) { return each.first; });
    std::ranges::transform(ranked, kept.begin(), [](const auto& each) { return each.second; });
  };
  if (selection.drop_top > 0) {
    rank_by([&](std::uint32_t i) { return static_cast<double>(all.count[i]); });
    kept.erase(kept.begin(),
               kept.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(selection.drop_top, kept.size())));
  }
  if (selection.max_terms > 0 && selection.max_terms < kept.size()) {
    rank_by([&](std::uint32_t i) { return term_score(all, i, selection.ranking); });
    kept.resize(selection.max_terms);
  }
  return by_documents(all, kept);
}

}  // namespace plumb
