/** Compares two runs: medians of common series, their ratio, and its significance. */
import { table } from "../table.ts";
import type { RunFile } from "./run-file.ts";
import type { Series } from "./series.ts";
import { median, mediansOf, type Ratio, ratioOf } from "./statistics.ts";

export interface Difference {
  suite: string;
  group: string;
  name: string;
  unit: string;
  medianA: number;
  medianB: number;
  /** B over A: of the samples, or, with a base, of each turn's ratio to its base. */
  change: Ratio;
  besideBase: boolean;
  isBase: boolean;
  verdict: Verdict;
}

export type Verdict = "better" | "worse" | "no difference seen" | "too few samples";

/** Two runs of the same build can differ by this much. */
const noticeable = 1.05;

export function differences(a: RunFile, b: RunFile): Difference[] {
  return Object.entries(a.suites).flatMap(([suite, { series }]) => {
    const others = b.suites[suite]?.series ?? [];
    return series.flatMap((one) => {
      const other = others.find(({ group, name }) => group === one.group && name === one.name);
      return other === undefined ? [] : [differenceOf(suite, one, series, other, others)];
    });
  });
}

function differenceOf(
  suite: string,
  one: Series,
  seriesA: readonly Series[],
  other: Series,
  seriesB: readonly Series[],
): Difference {
  const baseA = baseOf(one, seriesA);
  const baseB = baseOf(other, seriesB);
  const besideBase = baseA !== null && baseB !== null;
  const change = ratioOf(
    comparable(one, besideBase ? baseA : null),
    comparable(other, besideBase ? baseB : null),
  );
  return {
    suite,
    group: one.group,
    name: one.name,
    unit: one.unit,
    medianA: median(one.values),
    medianB: median(other.values),
    change,
    besideBase,
    isBase: one.base === one.name,
    verdict: verdictOf(change, one.better),
  };
}

function baseOf({ group, name, base, values }: Series, all: readonly Series[]): Series | null {
  if (base === undefined || base === name) return null;
  const found = all.find((one) => one.group === group && one.name === base);
  return found !== undefined && found.values.length === values.length ? found : null;
}

/** One number per turn. Dividing by the base removes busy moments of the machine. Skips non-positive values. */
function comparable(series: Series, base: Series | null): number[] {
  const turns = mediansOf(series.values, series.perTurn ?? 1);
  const unit = base === null ? [] : mediansOf(base.values, base.perTurn ?? 1);
  return turns
    .map((value, at) => value / (unit[at] ?? 1))
    .filter((value) => value > 0 && Number.isFinite(value));
}

function verdictOf({ ratio, low, high }: Ratio, better: Series["better"]): Verdict {
  if (!Number.isFinite(high) || low === 0) return "too few samples";
  const more = low > 1 && ratio > noticeable;
  const less = high < 1 && ratio < 1 / noticeable;
  if (!more && !less) return "no difference seen";
  return more === (better === "higher") ? "better" : "worse";
}

export function comparisonTable(found: readonly Difference[]): string {
  const suites = [...new Set(found.map(({ suite }) => suite))];
  const percent = (ratio: number) => `${ratio >= 1 ? "+" : "−"}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;
  return suites
    .map((suite) =>
      table([
        [suite, "A, median", "B, median", "B over A", "99 in 100 lie in", "verdict"],
        ...found
          .filter((difference) => difference.suite === suite)
          .map(({ group, name, unit, medianA, medianB, change, besideBase, verdict }) => [
            [group, name].filter((part) => part !== "").join(" · "),
            `${digits(medianA)} ${unit}`.trim(),
            `${digits(medianB)} ${unit}`.trim(),
            Number.isFinite(change.ratio) ? `${percent(change.ratio)}${besideBase ? " *" : "  "}` : "",
            verdict === "too few samples" ? "" : `${percent(change.low)} … ${percent(change.high)}`,
            verdict,
          ]),
      ]),
    )
    .join("\n\n");
}

/** Base series that changed, one line each. They do not depend on the build, so a change means that the machine differed. */
export function machineLines(found: readonly Difference[]): string[] {
  return found
    .filter(({ isBase, verdict }) => isBase && (verdict === "better" || verdict === "worse"))
    .map(
      ({ suite, group, name, change }) =>
        `${suite} · ${group}: ${name} itself took ${change.ratio.toFixed(2)} times what it took in A; run both again, one after the other`,
    );
}

function digits(value: number): string {
  if (!Number.isFinite(value)) return "";
  const before = Math.max(1, Math.ceil(Math.log10(Math.abs(value) + Number.EPSILON)));
  return value.toFixed(Math.max(0, 4 - before));
}
