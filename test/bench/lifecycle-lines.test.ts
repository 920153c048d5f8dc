/** The output lines of suite `lifecycle` have browserarena's format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { arenaLine } from "../../bench/lifecycle.ts";

test("a session is a line with the stages' times in whole milliseconds, its provider and the concurrency", () => {
  const times = { create: 100.4, connect: 20.6, goto: 30, release: 40.5 };
  const { created_at, id, ...line }: Record<string, unknown> = JSON.parse(
    JSON.stringify(arenaLine("TROUPE_PLAYWRIGHT", 8, times)),
  );
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.match(String(id), /^[\da-f-]{36}$/);
  assert.deepEqual(line, {
    session_creation_ms: 100,
    session_connect_ms: 21,
    page_goto_ms: 30,
    session_release_ms: 41,
    provider: "TROUPE_PLAYWRIGHT",
    concurrency: 8,
    success: true,
    error_stage: null,
    error_message: null,
    error_screenshot_path: null,
  });
});
