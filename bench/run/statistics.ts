/** Statistics: quantiles, and the ratio of two sample lists with a confidence interval. */

/** `at` is from 0 to 1. NaN for no samples. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The median of every `size` consecutive samples: one number per turn. */
export function mediansOf(samples: readonly number[], size: number): number[] {
  const chunks = Math.ceil(samples.length / size);
  return Array.from({ length: chunks }, (_, at) => median(samples.slice(at * size, (at + 1) * size)));
}

/** The median ratio within turns, which cancels busy moments of the machine. NaN for no samples. */
export function turnRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.slice(0, under.length).map((value, at) => value / (under[at] ?? Number.NaN)));
}

/** The median difference within turns of `size` samples each. NaN for no samples. */
export function turnDifference(over: readonly number[], under: readonly number[], size: number): number {
  const others = mediansOf(under, size);
  return median(
    mediansOf(over, size)
      .slice(0, others.length)
      .map((value, at) => value - (others[at] ?? Number.NaN)),
  );
}

export interface Ratio {
  ratio: number;
  /** The confidence interval; 0 and Infinity if there are too few samples. */
  low: number;
  high: number;
}

/** 99 % of the normal distribution. With many figures, 95 % would find something every time. */
const confidenceZ = 2.576;
/** Maximum samples per list, because all pairs are sorted; longer lists are reduced by medians. */
const comparedMax = 500;

/**
 * The ratio of two lists of positive numbers: the median ratio of all pairs (Hodges-Lehmann on logarithms), with the interval of the
 * rank-sum test (Mann-Whitney, normal approximation). Needs no particular distribution.
 */
export function ratioOf(first: readonly number[], second: readonly number[]): Ratio {
  const [a, b] = [thinned(first), thinned(second)];
  const ratios = a.flatMap((one) => b.map((other) => other / one)).sort((x, y) => x - y);
  const pairs = ratios.length;
  const margin = confidenceZ * Math.sqrt((pairs * (a.length + b.length + 1)) / 12);
  const cut = Math.floor(pairs / 2 - margin);
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
