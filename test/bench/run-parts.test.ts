/** Arguments, plots, progress and turns of a bench run. */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { peersAsked } from "../../bench/batch/peers-asked.ts";
import { coresOf } from "../../bench/crowd.ts";
import { parseAsked, roundsOf, setAsked } from "../../bench/run/asked.ts";
import { endAll, endsWithBench, owned } from "../../bench/run/ending.ts";
import { plotOf } from "../../bench/run/plot.ts";
import { barLine } from "../../bench/run/progress.ts";
import { turnDifference, turnRatio } from "../../bench/run/statistics.ts";
import { samplesTable } from "../../bench/table.ts";
import { turnOrder } from "../../bench/taking-turns.ts";

describe("the arguments", () => {
  test("name suites, a label, an effort and a contestant to slow down", () => {
    const asked = parseAsked([
      "launch",
      "verbs",
      "--label",
      "after",
      "--effort",
      "0.25",
      "--slow",
      "Troupe=20",
    ]);
    assert.deepEqual(asked.suites, ["launch", "verbs"]);
    assert.deepEqual(
      [asked.label, asked.effort, asked.slow],
      ["after", 0.25, { name: "Troupe", factor: 1.2 }],
    );
  });
  test("name two runs to compare", () =>
    assert.deepEqual(parseAsked(["--compare", "a.json", "b.json"]).compare, ["a.json", "b.json"]));
  const wrong = [
    ["--compare", "a.json"],
    ["--compare", "a", "b", "c"],
    ["--slow", "Troupe"],
    ["--effort", "0"],
    ["--effort", "much"],
    ["--label", "../a"],
    ["--unknown"],
  ];
  for (const args of wrong) test(`refuse ${args.join(" ")}`, () => assert.throws(() => parseAsked(args)));
});

describe("the effort", () => {
  afterEach(() => setAsked({ effort: 1, slow: null }));
  test("is a share of the rounds, at least three", () => {
    setAsked({ effort: 0.25, slow: null });
    assert.deepEqual([roundsOf(24), roundsOf(4)], [6, 3]);
  });
});

describe("the plot", () => {
  const of = (name: string, values: number[]) =>
    ({ group: "g", name, unit: "ms", better: "lower", values }) as const;

  test("has a panel per group, and in it each series with its samples, median and count", () => {
    const svg = plotOf("launch", [of("ours", [1, 2, 3]), of("theirs", [2, 4, 6])]) ?? "";
    assert.equal(svg.match(/<circle /g)?.length, 6);
    assert.equal(svg.match(/<rect x=/g)?.length, 2);
    assert.equal(svg.match(/>g, ms</g)?.length, 1);
    assert.match(svg, />4 · n 3</);
  });
  test("places samples by value from left to right, on a linear and a logarithmic scale", () => {
    for (const values of [
      [10, 20, 30],
      [1, 20, 3_000],
    ]) {
      const svg = plotOf("t", [of("a", values)]) ?? "";
      const places = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(places).size, 3);
      assert.ok(Math.min(...places) >= 330 && Math.max(...places) <= 824, `${places}`);
    }
  });
  test("escapes names, and contains no invalid number", () => {
    const svg = plotOf("a & b", [of("<script>", [0, 0])]) ?? "";
    assert.match(svg, /&lt;script&gt;/);
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  });
  test("is null without samples", () => assert.equal(plotOf("t", [of("a", [])]), null));
});

describe("the ratio of turns", () => {
  test("is not affected by a moment in which all contestants are slow", () =>
    assert.equal(turnRatio([10, 10, 500, 800, 10], [20, 20, 1_000, 1_600, 20]), 0.5));
  test("is NaN without samples", () => assert.ok(Number.isNaN(turnRatio([], [1]))));
  test("comes with a difference of each turn's medians", () => {
    const under = [1, 1, 9, 5, 5, 5, 1, 1, 1];
    const over = [3, 3, 3, 7, 7, 99, 3, 40, 3];
    assert.equal(turnDifference(over, under, 3), 2);
    assert.ok(Number.isNaN(turnDifference([], [1], 3)));
  });
});

describe("the progress bar", () => {
  test("fills up, and fits the terminal's width", () => {
    assert.match(barLine("launch", 0, 4, 80), /^░{24} 0\/4 launch$/);
    assert.match(barLine("launch", 2, 4, 80), /^█{12}░{12} 2\/4/);
    assert.match(barLine("launch", 4, 4, 80), /^█{24} 4\/4/);
    assert.equal(barLine("a long name", 1, 4, 20).length, 19);
  });
});

describe("the table of samples", () => {
  test("shows median, p95, middle half, count and ratio to the base", () => {
    const text = samplesTable(new Map(Object.entries({ bare: [1, 2, 3, 4], ours: [2, 4, 6, 8] })), "bare", 1);
    const cells = text.split("\n").map((line) => line.trim().split(/ {2,}/));
    assert.deepEqual(cells, [
      ["ms", "median", "p95", "middle half", "count", "ratio"],
      ["bare", "3.0", "4.0", "2.0–4.0", "4", "1.000"],
      ["ours", "6.0", "8.0", "4.0–8.0", "4", "2.000"],
    ]);
  });
});

describe("whatever must end with the bench", () => {
  test("ends in reverse order, despite failures, unless it ended already", async () => {
    const ended: string[] = [];
    const end = (name: string) => async () => void ended.push(name);
    endsWithBench(end("directory"));
    endsWithBench(end("service"));
    endsWithBench(() => Promise.reject(new Error("is gone")));
    endsWithBench(end("browser"))();
    await owned(end("owned"))();
    await endAll();
    await endAll();
    assert.deepEqual(ended, ["owned", "service", "directory"]);
  });
});

test("the cores of a process are read from a list in Linux's format", () => {
  assert.deepEqual([...coresOf("0-1,3")], [0, 1, 3]);
  assert.deepEqual([...coresOf("2")], [2]);
});

describe("the turns", () => {
  for (const kinds of [2, 3, 5]) {
    const rounds = Array.from({ length: 4 * kinds }, (_, round) => turnOrder(kinds, round));
    test(`of ${kinds}: each has one turn a round, and all are first equally often`, () => {
      for (const order of rounds) assert.equal(new Set(order).size, kinds);
      for (let kind = 0; kind < kinds; kind++)
        assert.equal(rounds.filter(([first]) => first === kind).length, rounds.length / kinds);
    });
    test(`of ${kinds}: of each pair, both come first equally often`, () => {
      const before = (a: number, b: number) =>
        rounds.filter((order) => order.indexOf(a) < order.indexOf(b)).length;
      for (let a = 0; a < kinds; a++)
        for (let b = 0; b < a; b++) assert.equal(before(a, b), rounds.length / 2, `${a} and ${b}`);
    });
  }
});

test("suite batch runs the named peers, all of them by default, and refuses an unknown name", () => {
  assert.deepEqual(peersAsked(undefined), ["cluster", "crawlee"]);
  assert.deepEqual(peersAsked("crawlee"), ["crawlee"]);
  assert.deepEqual(peersAsked("crawlee,cluster"), ["cluster", "crawlee"]);
  assert.throws(() => peersAsked("clusters"), /BATCH_PEERS takes cluster and crawlee.*not "clusters"/);
});
