/** What samples say: quantiles, and how much two lists of samples differ, with an interval that takes their spread into account. */

/** The sample that `at` (0 to 1) of all do not exceed; NaN of none. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The medians of each `size` samples that follow each other: one number for what was measured in one turn. */
export function mediansOf(samples: readonly number[], size: number): number[] {
  const chunks = Math.ceil(samples.length / size);
  return Array.from({ length: chunks }, (_, at) => median(samples.slice(at * size, (at + 1) * size)));
}

/** The median of the ratios of samples that were taken in the same turn: a busy moment that met both does not count. NaN of none. */
export function turnRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.slice(0, under.length).map((value, at) => value / (under[at] ?? Number.NaN)));
}

/**
 * The median of the differences between what was measured in the same turn, `size` samples of each in a turn. What it takes
 * beyond the other when both meet the same moments. NaN of none.
 */
export function turnDifference(over: readonly number[], under: readonly number[], size: number): number {
  const others = mediansOf(under, size);
  return median(
    mediansOf(over, size)
      .slice(0, others.length)
      .map((value, at) => value - (others[at] ?? Number.NaN)),
  );
}

export interface Ratio {
  /** How many times the second list's numbers are the first's. */
  ratio: number;
  /** Where the ratio lies with the confidence of `confidenceZ`; 0 and Infinity when there are too few samples to say. */
  low: number;
  high: number;
}

/** Of the normal distribution: 99 in 100. Many figures are looked at at once, so 95 would find something every time. */
const confidenceZ = 2.576;
/** Of each list, so that the pairs can be sorted; more are taken together by medians. */
const comparedMax = 500;

/**
 * The ratio of two lists of positive numbers: the median of the ratios of all pairs (Hodges and Lehmann's estimate, on logarithms),
 * with the interval of the rank-sum test (Mann and Whitney, normal approximation). It asks nothing of the numbers' distribution.
 */
export function ratioOf(first: readonly number[], second: readonly number[]): Ratio {
  const [a, b] = [thinned(first), thinned(second)];
  const ratios = a.flatMap((one) => b.map((other) => other / one)).sort((x, y) => x - y);
  const pairs = ratios.length;
  const margin = confidenceZ * Math.sqrt((pairs * (a.length + b.length + 1)) / 12);
  const cut = Math.floor(pairs / 2 - margin); // So many at each end are outside.
  if (cut < 1) return { ratio: median(ratios), low: 0, high: Number.POSITIVE_INFINITY };
  return {
    ratio: median(ratios),
    low: ratios[cut - 1] ?? Number.NaN,
    high: ratios[pairs - cut] ?? Number.NaN,
  };
}

function thinned(samples: readonly number[]): number[] {
  const size = Math.ceil(samples.length / comparedMax);
  return size <= 1 ? [...samples] : mediansOf(samples, size);
}
