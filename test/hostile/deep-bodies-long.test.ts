/** JSON that is deep, has many keys or has a million errors is refused on arrival, at a bounded cost. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createLedger } from "../../actors/script/log-and-output.ts";
import { parseRunnerMessage } from "../../actors/script/messages.ts";
import { completedVerdict } from "../../actors/script/verdict.ts";
import { checked } from "../../gateway/gate/shapes.ts";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import { createProfiles, openLibrary, outcome, runInput, saveScript } from "../actors/library.ts";
import { startTestService, type TestService } from "../gateway/running.ts";
import { type KnownListener, listenersOf } from "./listeners.ts";
import { sendRaw } from "./raw-http.ts";

let app: TestService;
let listeners: KnownListener[];
before(async () => {
  app = await startTestService();
  listeners = listenersOf(app);
});
after(() => app.stop());

const nested = (levels: number, open = "[", close = "]") => `${open.repeat(levels)}${close.repeat(levels)}`;
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join()}}`;

test("levels and keys are counted outside strings, in complete and in truncated texts", () => {
  const excess = (text: string) => jsonExcess(Buffer.from(text));
  assert.equal(excess(nested(limits.jsonLevelsMax)), null);
  assert.equal(excess(nested(limits.jsonLevelsMax + 1)), "may be at most 100 levels deep");
  assert.equal(excess(nested(90, '{"a":[', "]}")), "may be at most 100 levels deep");
  assert.equal(excess("[".repeat(200)), "may be at most 100 levels deep");
  assert.equal(excess(keys(limits.jsonKeysMax)), null);
  assert.equal(excess(keys(limits.jsonKeysMax + 1)), "may have at most 100000 keys");
  assert.equal(excess(JSON.stringify({ a: `${"[{:".repeat(200_000)}\\"` })), null);
  assert.equal(excess(`"${"\\".repeat(301)}`), null);
  assert.equal(excess("]".repeat(300)), null);
});

test("a body that is too deep or has too many keys answers 400 with the limit, on every listener", async () => {
  const deep = nested(4_000_000, "[", "");
  for (const { name, port, path, credentials } of listeners) {
    const target = path === "/mcp" ? path : "/v1/profiles";
    for (const [body, words] of [
      [`{"count":1,"tags":${nested(100)}}`, /^invalid request: the body may be at most 100 levels deep$/],
      [`{"count":1,"tags":${deep}`, /^invalid request: the body may be at most 100 levels deep$/],
      [keys(500_000), /^invalid request: the body may have at most 100000 keys$/],
    ] as const) {
      const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${credentials}`;
      const reply = await sendRaw(port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      assert.equal(reply.status, 400, `${name}: ${reply.body.slice(0, 200)}`);
      assert.match(JSON.parse(reply.body).error, words, name);
    }
  }
});

test("a refusal names one of a million errors, and repeats little of the body", () => {
  const wrong: [shape: Parameters<typeof checked>[0], value: object][] = [
    ["RunScriptBody", { script_id: "x", profile_ids: Array(1_000_000).fill("x") }],
    ["RunScriptBody", { script_id: crypto.randomUUID(), profile_ids: Array(1_000_000).fill(7) }],
    ["CreateProfilesBody", { count: "9".repeat(4_000_000) }],
    ["CreateProfilesBody", { count: 1, ["k".repeat(4_000_000)]: 1 }],
    ["CreateProfilesBody", { count: 1, ...JSON.parse(keys(limits.jsonKeysMax)) }],
    ["LaunchBody", { headless: Array(1_000_000).fill(0) }],
    ["SetVariablesBody", { variables: { ['\\"'.repeat(1_000_000)]: 7 } }],
  ];
  for (const [shape, value] of wrong) {
    assert.throws(
      () => checked(shape, value, "body"),
      (error: Error) => error.name === "Fault" && error.message.length < 500,
      shape ?? "",
    );
  }
});

test("output that is too deep ends a script's run with the limit's name", () => {
  assert.deepEqual(completedVerdict(nested(3_000)), {
    error: "the result of run may be at most 100 levels deep",
  });
  const ledger = createLedger();
  assert.equal(ledger.output(`{"a":${nested(100)}}`), "an output row may be at most 100 levels deep");
  assert.deepEqual(ledger.rows(), []);
});

test("a stored result that is too deep is read as text, and the rest of its run is unchanged", async (t) => {
  const { library } = await openLibrary(t);
  const profileIds = await createProfiles(library, 2);
  const { scriptId } = await saveScript(library);
  const { run } = await library.createRun(runInput(scriptId, profileIds));
  const results = [JSON.parse(nested(3_000)), { kept: true }];
  for (const [index, profileId] of profileIds.entries()) {
    await library.beginRunProfile({ runId: run.id, profileId });
    const ended = outcome("completed", { result: results[index] });
    await library.endRunProfile({ runId: run.id, profileId, outcome: ended });
  }
  const { profiles } = await library.runProfiles({ runId: run.id, offset: 0, limit: 10 });
  assert.match(String(profiles[0]?.result), /^not shown: it is more than 100 levels deep/);
  assert.deepEqual(profiles[1]?.result, { kept: true });
});

test("an invalid message of a runner is a protocol error and does not end the profile's thread", () => {
  assert.throws(
    () => parseRunnerMessage(`{"kind":"log","level":${nested(50_000)}}`),
    /at most 100 levels deep/,
  );
  const long = JSON.stringify({ kind: "log", level: "info", text: "x".repeat(limits.scriptMessageCharsMax) });
  assert.throws(() => parseRunnerMessage(long), RangeError);
});

test("empty lines count towards the log limit", () => {
  const ledger = createLedger();
  let breach: string | null = null;
  for (let line = 0; breach === null && line <= limits.scriptLogBytesMax; line += 1)
    breach = ledger.log("info", "");
  assert.match(String(breach), /logged more than/);
});
