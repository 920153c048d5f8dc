/** The comparison of two runs shows a slow-down of 20 %, is not deceived by a busy machine, and calls equal runs equal. */

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { setAsked } from "../../bench/run/asked.ts";
import { comparisonTable, type Difference, differences, machineLines } from "../../bench/run/compare.ts";
import { type Series, seriesIn, seriesOf } from "../../bench/run/series.ts";
import { ratioOf } from "../../bench/run/statistics.ts";
import { takeTurns } from "../../bench/taking-turns.ts";
import { createRandom } from "../seeded-random.ts";

type Runs = Parameters<typeof differences>;

const runOf = (series: readonly Series[]): Runs[0] => ({
  format: "troupe-bench-1",
  at: "2026-01-01T00:00:00.000Z",
  label: "",
  machine: { cpu: "", cores: 2, memoryBytes: 0, platform: "", node: "" },
  slowed: null,
  suites: { launch: { at: "", loadAfter: 0, targets: [], series, record: {} } },
});

/** Launch times of two interleaved contestants: 200 ms ± 12 %, some twice as long, under a load common to both. */
function measured(seed: number, options: { slower?: number; load?: number } = {}): Series[] {
  const random = createRandom(seed);
  const { slower = 1, load = 1 } = options;
  const sample = () => 200 * (0.88 + 0.24 * random()) * (random() < 0.05 ? 2 : 1);
  const samples = new Map<string, number[]>([
    ["bare", []],
    ["Troupe", []],
  ]);
  for (let round = 0; round < 24; round += 1) {
    const busy = load * (1 + 0.3 * random());
    samples.get("bare")?.push(sample() * busy);
    samples.get("Troupe")?.push(sample() * busy * slower);
  }
  return seriesOf("one at a time", samples, { base: "bare" });
}

function verdicts(found: readonly Difference[]): Record<string, string> {
  return Object.fromEntries(found.map(({ name, verdict }) => [name, verdict]));
}

const seeds = Array.from({ length: 200 }, (_, at) => at + 1);
const shareOf = (isSo: (seed: number) => boolean) => seeds.filter(isSo).length / seeds.length;

describe("two runs of generated samples", () => {
  const compared = (seed: number, b: Parameters<typeof measured>[1]) =>
    verdicts(differences(runOf(measured(seed)), runOf(measured(seed + 10_000, b)))).Troupe;

  test("show a slow-down of 20 %, also under twice the load in the second run", () => {
    const share = shareOf((seed) => compared(seed, { slower: 1.2, load: 2 }) === "worse");
    assert.ok(share >= 0.95, `in ${share * 100} of 100 pairs of runs`);
  });
  test("show a gain of 20 %", () => {
    const share = shareOf((seed) => compared(seed, { slower: 1 / 1.2 }) === "better");
    assert.ok(share >= 0.95, `in ${share * 100} of 100 pairs of runs`);
  });
  test("report a change of the machine, measured by the contestant that is not Troupe", () => {
    const lines = (load: number) =>
      machineLines(differences(runOf(measured(1)), runOf(measured(2, { load }))));
    assert.match(lines(2).join(), /^launch · one at a time: bare itself took [12]\.\d\d times/);
    assert.deepEqual(lines(1), []);
  });
  test("of the same build differ in at most one of 100 pairs, whatever the load", () => {
    const share = shareOf((seed) => compared(seed, { load: 2 }) !== "no difference seen");
    assert.ok(share <= 0.01, `${share * 100} of 100 pairs of runs`);
  });
});

describe("a difference", () => {
  const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((value) => 100 + value);
  const of = (values: number[], better: "lower" | "higher"): Series => ({
    group: "g",
    name: "n",
    unit: "/s",
    better,
    values,
  });
  const verdict = (a: number[], b: number[], better: "lower" | "higher") =>
    differences(runOf([of(a, better)]), runOf([of(b, better)]))[0]?.verdict;
  const times = (factor: number) => ten.map((value) => value * factor);

  test("is better or worse according to the series' own direction", () => {
    assert.equal(verdict(ten, times(1.3), "higher"), "better");
    assert.equal(verdict(ten, times(1.3), "lower"), "worse");
  });
  test("below 5 % is ignored, however certain it is", () =>
    assert.equal(verdict(times(1), times(1.04), "lower"), "no difference seen"));
  test("of three samples is not judged", () =>
    assert.equal(verdict(ten.slice(7), times(9).slice(7), "lower"), "too few samples"));
  test("is a table row with both medians, its interval and its verdict", () => {
    const found = differences(runOf([of(ten, "lower")]), runOf([of(times(1.3), "lower")]));
    assert.match(
      comparisonTable(found),
      /g · n\s+106\.0 \/s\s+137\.8 \/s\s+\+30\.\d %\s+\+2\d\.\d % … .*worse/,
    );
  });
  test("is not computed for a series that only one run has", () =>
    assert.deepEqual(differences(runOf([of(ten, "lower")]), runOf([])), []));
});

describe("the interval of a ratio", () => {
  test("covers the true ratio in 97 of 100 draws or more", () => {
    const covered = shareOf((seed) => {
      const random = createRandom(seed);
      const draw = (scale: number) => Array.from({ length: 30 }, () => scale * Math.exp(random() + random()));
      const { low, high } = ratioOf(draw(1), draw(1.5));
      return low <= 1.5 && high >= 1.5;
    });
    assert.ok(covered >= 0.97, `${covered * 100} of 100`);
  });
});

describe("two measured runs", () => {
  afterEach(() => setAsked({ effort: 1, slow: null }));
  const spin = async () => {
    const until = performance.now() + 0.5;
    while (performance.now() < until);
  };
  const run = async () => {
    const kinds = ["bare", "Troupe"].map((name) => ({ name, run: spin }));
    return runOf(seriesOf("spins", await takeTurns(kinds, 40, 5), { base: "bare", perTurn: 5 }));
  };

  test("show that one contestant was made 20 % slower, and that the other was not", async () => {
    const before = await run();
    setAsked({ effort: 1, slow: { name: "Troupe", factor: 1.2 } });
    const found = differences(before, await run());
    assert.equal(verdicts(found).Troupe, "worse");
    const ratio = found.find(({ name }) => name === "Troupe")?.change.ratio ?? Number.NaN;
    assert.ok(ratio > 1.1 && ratio < 1.3, `${ratio}`);
  });
});

describe("unnamed series of a record", () => {
  test("are its lists of numbers, and the numeric fields of its lists of objects", () => {
    const record = {
      launches: [1, 2],
      deep: { a: [3] },
      readings: [
        { mb: 1, at: "x" },
        { mb: 2, at: "y" },
      ],
      text: ["a"],
    };
    assert.deepEqual(
      seriesIn(record).map(({ group, name, values }) => [group, name, values]),
      [
        ["", "launches", [1, 2]],
        ["deep", "a", [3]],
        ["readings", "mb", [1, 2]],
      ],
    );
  });
});
