/** What `troupe run --watch` says of a run that waits, on an output that is no terminal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { streams } from "../../gateway/cli/output.ts";
import { changeLines, type Watched } from "../../gateway/cli/run-watch.ts";
import type { RunProfile } from "../../protocol/records.ts";

type Statuses = RunProfile["status"][];

const watched = (...statuses: Statuses) =>
  ({ parts: statuses.map((status, index) => ({ profileId: `p${index}`, status, error: null })) }) as Watched;

test("a run whose parts only wait says so once, and again after the next change", (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const lines: string[] = [];
  t.mock.method(streams.err, "write", (text: string) => lines.push(text.trimEnd()));
  const screen = changeLines(new Map());
  const shown = (secs: number, ...statuses: Statuses) => {
    t.mock.timers.tick(secs * 1000);
    screen.show(watched(...statuses));
    return lines.splice(0);
  };
  const says = /^(\d of \d) parts wait; for what: troupe status/;

  assert.deepEqual(shown(9, "waiting", "waiting"), []);
  assert.equal(says.exec(shown(1, "waiting", "waiting").join())?.[1], "2 of 2");
  assert.deepEqual(shown(60, "waiting", "waiting"), []);
  assert.deepEqual(shown(1, "running", "waiting"), ["p0: running"]);
  assert.deepEqual(shown(60, "running", "waiting"), [], "a part runs");
  assert.deepEqual(shown(1, "completed", "waiting"), ["p0: completed"]);
  assert.equal(says.exec(shown(10, "completed", "waiting").join())?.[1], "1 of 2");
});
