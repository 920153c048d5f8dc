/** The control page's pure parts: durations and sizes as people write them, and failures by message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  days,
  type Measure,
  mebibytes,
  milliseconds,
  seconds,
} from "../../gateway/app/page/parts/measures.ts";
import { failureGroups, ownMessage } from "../../gateway/app/page/runs/failures.ts";
import { failedOutcome } from "../../protocol/run-outcomes.ts";
import { createRandom } from "../seeded-random.ts";

test("durations and sizes are shown in the largest units, without a rest", () => {
  assert.equal(milliseconds.text(1_800_000), "30 min");
  assert.equal(milliseconds.text(5_400_500), "1 h 30 min 500 ms");
  assert.equal(seconds.text(45), "45 s");
  assert.equal(days.text(1), "1 day");
  assert.equal(days.text(30), "30 days");
  assert.equal(mebibytes.text(5 * 1024), "5 GiB");
  assert.equal(mebibytes.text(1536), "1 GiB 512 MiB");
  assert.equal(seconds.text(0), "0");
});

test("they are read as people write them", () => {
  const given: [Measure, string, number][] = [
    [milliseconds, "30m", 1_800_000],
    [milliseconds, "1h30m", 5_400_000],
    [milliseconds, " 1.5 Hours ", 5_400_000],
    [milliseconds, "500ms", 500],
    [seconds, "2 min 5 s", 125],
    [seconds, "0", 0],
    [days, "2d", 2],
    [days, "48h", 2],
    [mebibytes, "5g", 5 * 1024],
    [mebibytes, "0.5 GB", 512],
    [mebibytes, "500 MiB", 500],
  ];
  for (const [measure, text, value] of given) assert.equal(measure.read(text), value, text);
});

test("what is not understood, or not whole, is refused", () => {
  for (const text of ["", "30", "m", "30x", "-5m", "5m and more", "1..5h", "half an hour"])
    assert.equal(milliseconds.read(text), null, text);
  assert.equal(seconds.read("500ms"), null);
  assert.equal(days.read("36h"), null);
  assert.equal(mebibytes.read("5"), null);
});

test("each value is read back from its own text", () => {
  const random = createRandom(11);
  for (const measure of [milliseconds, seconds, days, mebibytes])
    for (let value = 1; value < 2 ** 31; value = value * 2 + Math.floor(3 * random()))
      assert.equal(measure.read(measure.text(value)), value, measure.text(value));
});

const failed = (name: string, error: string) => ({
  profileId: name,
  startedAt: null,
  completedAt: null,
  ...failedOutcome(error),
});

test("failures are grouped by message without its numbers, the largest group first", () => {
  const groups = failureGroups([
    failed("a", "the pool is full"),
    failed("b", "Timeout 30000 ms at step 4"),
    failed("c", "Timeout 30000 ms at step 5\nat line 1"),
  ]);
  assert.deepEqual(
    groups.map(({ message, parts }) => [message, parts.map(({ profileId }) => profileId)]),
    [
      ["Timeout 30000 ms at step 4", ["b", "c"]],
      ["the pool is full", ["a"]],
    ],
  );
  const [timeouts] = groups;
  assert.ok(timeouts);
  assert.deepEqual(
    timeouts.parts.map((part) => ownMessage(part, timeouts)),
    [null, "Timeout 30000 ms at step 5\nat line 1"],
  );
});
