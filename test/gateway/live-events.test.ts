/** Live events: in order, none lost and none twice, through readers that are cut off, are slow, or come after a restart. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readEvents, type Seen } from "./event-reader.ts";
import { createProfiles, type RestartedService, startRestartable } from "./running.ts";

let app: RestartedService;
before(async () => {
  app = await startRestartable();
});
after(() => app.stop());

const read = (query: string, enough: (seen: Seen[]) => boolean, lastId?: number) =>
  readEvents({ apiUrl: app.service.apiUrl ?? "", token: app.token }, query, enough, lastId);

const { library } = { library: () => app.service.actors.library };
const note = (count: number, from = 0) =>
  library().noteEvents({
    events: Array.from({ length: count }, (_, at) => ({
      type: "profile.changed" as const,
      status: String(from + at),
    })),
  });
const statuses = (seen: Seen[]) => seen.map(({ status }) => Number(status));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const nowId = async () => (await library().events({ after: null, limit: 1 })).at(-1)?.id ?? 0;

test("each change becomes an event, in order, with its ids", async () => {
  const from = await nowId();
  const [id = ""] = await createProfiles(app.client, 1);
  await app.client.call("PATCH", `/v1/profiles/${id}`, { body: { name: "New" } });
  const source = "export default async function run() {}\n";
  const { scriptId } = (await app.client.post("/v1/scripts", { name: "s", source })).body as {
    scriptId: string;
  };
  const { run } = await library().createRun({
    scriptId,
    profileIds: [id],
    variables: {},
    headless: true,
    batch: false,
    concurrency: 0,
    staggerMs: 0,
    source: null,
    scheduleId: null,
  });
  await library().cancelRun({ runId: run.id });
  for (let twice = 0; twice < 2; twice++) await library().endRun({ runId: run.id, error: null });
  await app.client.call("DELETE", `/v1/profiles/${id}`);
  const seen = await read(`after=${from}`, ({ length }) => length === 5);
  assert.deepEqual(
    seen.map(({ type, profile_id, run_id, status }) => [type, profile_id, run_id, status]),
    [
      ["profile.changed", id, undefined, undefined],
      ["profile.changed", id, undefined, undefined],
      ["run.started", undefined, run.id, "running"],
      ["run.ended", undefined, run.id, "skipped"],
      ["profile.changed", id, undefined, undefined],
    ],
  );
  assert.ok(seen.every(({ at }) => Date.parse(at) > 0));
  const ofRun = await read(`after=${from}&run_id=${run.id.toUpperCase()}`, ({ length }) => length === 2);
  assert.deepEqual(
    ofRun.map(({ type }) => type),
    ["run.started", "run.ended"],
  );
  const some = await read(`after=${from}&types=run.ended,run.progress`, ({ length }) => length === 1);
  assert.equal(some[0]?.type, "run.ended");
  for (const query of ["types=run.none", "after=x", "profile_id=1"])
    assert.equal((await app.client.get(`/v1/events?${query}`)).status, 400, query);
});

test("a reader that is cut off ten times sees each event once, in order, also from one address", async () => {
  const first = await nowId();
  let last = first;
  const all: Seen[] = [];
  const writing = (async () => {
    for (let at = 0; at < 2_000; at += 50) await note(50, at);
  })();
  for (let cut = 1; cut <= 10; cut++) {
    const part = await read(
      `after=${first}`,
      ({ length }) => length >= 150 || all.length + length >= 2_000,
      last,
    );
    all.push(...part);
    last = part.at(-1)?.id ?? last;
  }
  all.push(...(await read("", ({ length }) => all.length + length >= 2_000, last)));
  await writing;
  assert.deepEqual(statuses(all), range(0, 2_000));
});

test("events are kept over a clean restart and a crash, and ids go on", async () => {
  const from = await nowId();
  await note(3);
  await app.restart();
  assert.deepEqual(statuses(await read(`after=${from}`, ({ length }) => length === 3)), [0, 1, 2]);
  await note(1, 3);
  const before = await nowId();
  assert.equal(before, from + 4);
  await app.restart(() => {
    const file = join(app.dataDir, "events.jsonl");
    appendFileSync(file, '{"id":'); // As a crash leaves it: without its end, and with half a line.
    assert.match(readFileSync(file, "utf8"), /"closed"\n\{"id":$/);
  });
  await note(1, 4);
  const seen = await read(`after=${from}`, ({ length }) => length === 5);
  assert.deepEqual(statuses(seen), [0, 1, 2, 3, 4]);
  assert.ok((seen.at(-1)?.id ?? 0) > before + 1, "ids of lost events are not given again");
});

test("a reader whose id is too old gets lost with a count, and then what is kept", async () => {
  const from = await nowId();
  for (let at = 0; at < 24_000; at += 1_000) await note(1_000, at);
  const seen = await read(`after=${from}`, (events) => events.at(-1)?.status === "23999");
  assert.equal(String(seen[0]?.type), "lost");
  const lost = Number(Object(seen[0]).count);
  assert.equal(lost + seen.length - 1, 24_000);
  assert.deepEqual(statuses(seen.slice(1)), range(lost, 24_000));
});

test("500 readers at once get the same", async () => {
  const from = await nowId();
  const readers = Array.from({ length: 500 }, () => read(`after=${from}`, ({ length }) => length >= 20));
  for (let at = 0; at < 20; at++) await note(1, at);
  for (const seen of await Promise.all(readers)) assert.deepEqual(statuses(seen), range(0, 20));
});

test("readers hear the service's stop", async () => {
  let joined = () => {};
  const first = new Promise<void>((resolve) => {
    joined = resolve;
  });
  const from = await nowId();
  await note(1);
  const reading = read(`after=${from}`, () => {
    joined();
    return false;
  });
  await first;
  await app.restart(async () => assert.equal((await reading).length, 1));
});

test("a reader that is cut off before its first event goes on from its place", async () => {
  const authorization = `Bearer ${app.token}`;
  const { body } = await fetch(`${app.service.apiUrl}/v1/events?types=run.ended`, {
    headers: { authorization },
  });
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/^id: .*\n/m.test(text)) text += (await reader.read()).value;
  await reader.cancel();
  assert.doesNotMatch(text, /^data:/m);
  const place = Number(/^id: (.*)$/m.exec(text)?.[1]);
  assert.equal(place, await nowId());
  await note(2, 70);
  const missed = await read("", ({ length }) => length === 2, place);
  assert.deepEqual(statuses(missed), [70, 71]);
});
