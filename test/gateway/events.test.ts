/** The event stream that tells control pages what changed, with real feeds and real HTTP. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { createChangeFeed } from "../../actors/kernel/change-feed.ts";
import { createEventStream } from "../../gateway/app/events.ts";
import type { ChangeCalls } from "../../protocol/messages/changes.ts";

const library = createChangeFeed();
const pool = createChangeFeed();
const failures: unknown[] = [];
/** Rejects pending calls, as a restarted actor thread does. */
let endPool = (_error: Error): void => {};
const poolThread: ChangeCalls = {
  changes: (input) => {
    const ended = new Promise<never>((_, reject) => {
      endPool = reject;
    });
    return Promise.race([pool.changes(input), ended]);
  },
};
const stream = createEventStream([library, poolThread], (error) => failures.push(error));
let latest: ServerResponse | null = null;
const server = createServer((_request, response) => {
  latest = response;
  stream.open(response, {});
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
after(() => {
  stream.close();
  server.close();
});

/** Opens the stream. `leave` resolves when the service has noticed the disconnect. */
async function openPage() {
  const leaving = new AbortController();
  const { body } = await fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const response = latest;
  assert.ok(response);
  return {
    async hears(topic: string): Promise<void> {
      for (let text = ""; !text.includes(topic); ) {
        const { value, done } = await reader.read();
        assert.equal(done, false, "the stream ended");
        text += value;
      }
    },
    async ends(): Promise<void> {
      while (!(await reader.read()).done);
    },
    async leave(): Promise<void> {
      const closed = once(response, "close");
      leaving.abort();
      await closed;
    },
  };
}

const soon = { timeout: 10_000 };

test("a page receives the changes of each actor", soon, async () => {
  const page = await openPage();
  library.note("settings");
  await page.hears("settings");
  pool.note("live");
  await page.hears("live");
  await page.leave();
});

test("a page receives later changes of an actor that changed while no page was open", soon, async () => {
  const first = await openPage();
  pool.note("live");
  await first.hears("live");
  await first.leave();
  library.note("profiles");
  const second = await openPage();
  library.note("settings");
  await second.hears("settings");
  await second.leave();
});

test(
  "when an actor's thread ends, the page's stream ends, and the next stream receives the new thread's changes",
  soon,
  async () => {
    assert.deepEqual(failures, []);
    const page = await openPage();
    pool.note("live");
    await page.hears("live");
    endPool(new Error("the pool thread ended"));
    await page.ends();
    assert.equal(failures.length, 1);
    const again = await openPage();
    pool.note("profiles");
    await again.hears("profiles");
    await again.leave();
  },
);
