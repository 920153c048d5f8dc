/** Webhooks: each event at least once and in order per subject, through receivers that fail, and to no other place. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { createLibrary, type Library } from "../../../actors/library/library.ts";
import { createWebhooks, type Webhooks } from "../../../actors/operations/webhooks.ts";
import type { NewEvent, ServiceEvent } from "../../../protocol/events.ts";
import { standInPool } from "./stand-ins.ts";

type Got = ServiceEvent & { id: number };
type Behaviour = "accept" | "fail" | "hang" | "redirect" | "busy";

/** A receiver that notes what it accepts, after checking its signature. */
interface Receiver {
  url: string;
  secret: string;
  behaviour: Behaviour;
  accepted: Got[];
  asked: number;
  close(): Promise<void>;
}

/** Seconds at which attempts began. The clock goes on while they are under way, however slow the machine is. */
const begun = new Set<number>();
let verifiedAt: number | null = null;

/** As the library verifies it at the moment that the attempt began. */
function verified(secret: string, body: string, headers: Record<string, string>): Got {
  const at = Number(headers["webhook-timestamp"]);
  assert.ok(begun.has(at), "the timestamp is the attempt's");
  verifiedAt = at * 1_000;
  try {
    return new Webhook(secret).verify(body, headers) as Got;
  } finally {
    verifiedAt = null;
  }
}

async function startReceiver(t: TestContext, port = 0): Promise<Receiver> {
  const server: Server = createServer((request, response) => {
    receiver.asked += 1;
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      if (receiver.behaviour === "hang") return;
      if (receiver.behaviour === "busy") return void response.writeHead(429, { "retry-after": "120" }).end();
      if (receiver.behaviour === "fail") return void response.writeHead(500).end();
      if (receiver.behaviour === "redirect")
        return void response.writeHead(307, { location: "http://other.example/" }).end();
      receiver.accepted.push(verified(receiver.secret, body, request.headers as Record<string, string>));
      response.writeHead(204).end();
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret: "",
    behaviour: "accept",
    accepted: [],
    asked: 0,
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  t.after(() => receiver.close());
  return receiver;
}

interface World {
  library: Library;
  warnings: string[];
  webhooks: Webhooks;
  /** Moves time on until it holds. */
  passes(what: string, holds: () => boolean, stepMs?: number): Promise<void>;
  note(events: NewEvent[]): Promise<unknown>;
  restart(): Promise<void>;
}

async function startWorld(t: TestContext, answerMs?: number): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-webhooks-"));
  const clock = new ManualClock(Date.now());
  t.mock.method(Date, "now", () => verifiedAt ?? clock.now()); // The verifying library refuses old timestamps.
  /** Each attempt asks it first. */
  const live = async () => {
    begun.add(Math.floor(clock.now() / 1_000));
    return [];
  };
  const pool = { ...standInPool().api, live };
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} };
  const open = async () => {
    const library = await createLibrary({ dataDir, clock });
    const context = { library, pool, log, clock, ownPorts: [4711] };
    const webhooks = createWebhooks(context, answerMs);
    await webhooks.begin();
    return { library, webhooks };
  };
  const world: World = {
    ...(await open()),
    warnings,
    async passes(what, holds, stepMs = 500) {
      for (let turn = 0; !holds(); turn++) {
        assert.ok(turn < 20_000, what);
        await clock.advance(stepMs);
        await setTimeout(1); // A turn for the sockets.
      }
    },
    note: (events) => world.library.noteEvents({ events }),
    async restart() {
      await world.library.close({});
      Object.assign(world, await open());
    },
  };
  t.after(async () => {
    await world.library.close({});
    rmSync(dataDir, { recursive: true, force: true });
  });
  return world;
}

const profile = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const changes = (count: number, from = 0): NewEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    type: "profile.changed",
    profile_id: profile((from + at) % 7),
    status: String(from + at),
  }));

/** An event whose answer came too late is sent again. */
const distinct = (accepted: Got[]) => new Set(accepted.map(({ status }) => status)).size;

/** What was accepted is what was sent: all of it, and for each profile in order. */
function assertAll(accepted: Got[], count: number): void {
  const seen = accepted.map(({ status }) => Number(status));
  assert.deepEqual(
    [...new Set(seen)].sort((a, b) => a - b),
    [...Array(count).keys()],
  );
  for (let one = 0; one < 7; one++) {
    const firsts = [...new Set(seen.filter((status) => status % 7 === one))];
    assert.deepEqual(
      firsts,
      firsts.toSorted((a, b) => a - b),
    );
  }
}

async function hook({ webhooks }: World, receiver: Receiver, types: ServiceEvent["type"][] | null = null) {
  const reply = await webhooks.createWebhook({ url: receiver.url, types });
  receiver.secret = reply.secret;
  return reply.webhook_id;
}

test("events are signed, filtered by type, and each arrives once", async (t) => {
  const world = await startWorld(t);
  const receiver = await startReceiver(t);
  await world.note(changes(3, 100));
  const id = await hook(world, receiver, ["profile.changed"]);
  await world.note([...changes(20), { type: "run.ended", run_id: profile(1) }]);
  await world.passes("20 arrive", () => distinct(receiver.accepted) >= 20);
  assertAll(receiver.accepted, 20);
  assert.equal(receiver.asked, 20);
  await world.note(changes(1, 20));
  await world.passes("the next arrives", () => receiver.accepted.length === 21);
  await world.webhooks.deleteWebhook({ webhookId: id });
  await world.note(changes(1, 21));
  await world.restart();
  assert.deepEqual(await world.library.listWebhooks({}), []);
  assert.equal(receiver.asked, 21);
  await assert.rejects(world.webhooks.deleteWebhook({ webhookId: id }), /there is no webhook/);
});

test("a receiver that is down for five minutes gets every event, in order per profile", async (t) => {
  const world = await startWorld(t);
  const receiver = await startReceiver(t);
  const id = await hook(world, receiver);
  await receiver.close();
  await world.note(changes(50));
  let left = 600;
  await world.passes("five minutes go by", () => left-- <= 0);
  assert.match((await world.library.listWebhooks({}))[0]?.last?.error ?? "", /ECONNREFUSED/);
  const again = await startReceiver(t, Number(new URL(receiver.url).port));
  again.secret = receiver.secret;
  await world.passes("all arrive", () => new Set(again.accepted.map(({ id }) => id)).size === 50, 5_000);
  assertAll(again.accepted, 50);
  await world.passes("the state is saved", () => true, 5_000);
  const [listed] = await world.library.listWebhooks({});
  assert.deepEqual([listed?.webhook_id, listed?.last?.status, listed?.last?.error], [id, 204, undefined]);
});

for (const [behaviour, error] of [
  ["fail", /answered 500/],
  ["hang", /no answer within 0\.2 s/],
  ["redirect", /307, a redirect, which is not followed/],
] as const) {
  test(`a receiver that answers with "${behaviour}" gets every event later`, async (t) => {
    const world = await startWorld(t, behaviour === "hang" ? 200 : undefined);
    const receiver = await startReceiver(t);
    await hook(world, receiver);
    receiver.behaviour = behaviour;
    await world.note(changes(14));
    let seen = "";
    const looks = async () => {
      seen = (await world.library.listWebhooks({}))[0]?.last?.error ?? "";
    };
    await world.passes("it fails", () => {
      void looks();
      return seen !== "";
    });
    assert.match(seen, error);
    receiver.behaviour = "accept";
    await world.passes("all arrive", () => distinct(receiver.accepted) >= 14, 1_000);
    assertAll(receiver.accepted, 14);
  });
}

test("a receiver that asks for a pause gets one, and then every event", async (t) => {
  const world = await startWorld(t);
  const receiver = await startReceiver(t);
  await hook(world, receiver);
  receiver.behaviour = "busy";
  await world.note(changes(14));
  await world.passes("it was asked", () => receiver.asked > 0);
  let left = 22;
  await world.passes("110 s go by", () => left-- <= 0, 5_000);
  assert.ok(receiver.asked <= 4, `${receiver.asked} attempts, four at a time`);
  receiver.behaviour = "accept";
  await world.passes("all arrive", () => distinct(receiver.accepted) >= 14, 1_000);
  assertAll(receiver.accepted, 14);
});

test("after a restart the events that were not delivered are sent", async (t) => {
  const world = await startWorld(t);
  const receiver = await startReceiver(t);
  await hook(world, receiver);
  await world.note(changes(7));
  await world.passes("7 arrive", () => receiver.accepted.length === 7);
  receiver.behaviour = "fail";
  await world.note(changes(10, 7));
  await world.passes("they fail", () => receiver.asked >= 14);
  await world.restart();
  receiver.behaviour = "accept";
  await world.passes("all arrive", () => new Set(receiver.accepted.map(({ id }) => id)).size === 17);
  assertAll(receiver.accepted, 17);
});

test("an event is given up after a day, and the next of its profile goes on", async (t) => {
  const world = await startWorld(t);
  const receiver = await startReceiver(t);
  await hook(world, receiver);
  receiver.behaviour = "fail";
  await world.note(changes(1));
  await world.passes("it was tried", () => receiver.asked >= 1);
  const before = Date.now();
  await world.passes("it is given up", () => world.warnings.length > 0, 600_000);
  assert.match(world.warnings.join(), /an event was given up/);
  assert.ok(Date.now() - before > 22 * 3_600_000, "for a day");
  receiver.behaviour = "accept";
  await world.note([{ type: "profile.changed", profile_id: profile(0), status: "7" }]);
  await world.passes("the next arrives", () => receiver.accepted.length > 0);
  assert.deepEqual(
    receiver.accepted.map(({ status }) => status),
    ["7"],
  );
});

test("an address that is not on this machine, or is the service's own, is refused", async (t) => {
  const { webhooks, library } = await startWorld(t);
  const refused = (url: string, why: RegExp) =>
    assert.rejects(webhooks.createWebhook({ url, types: null }), why);
  await refused("ftp://127.0.0.1/", /url must be an http or https address/);
  await refused("nonsense", /url must be an http or https address/);
  await refused("http://me:secret@127.0.0.1/", /must not contain a user name/);
  await refused("http://127.0.0.1:4711/", /must not lead to the service itself/);
  await refused("http://localhost:4711/", /must not lead to the service itself/);
  await refused("https://hooks.example/x", /host hooks\.example be allowed by the user/);
  await refused("http://hooks.localhost:9000/", /be allowed by the user/);
  await refused("http://0.0.0.0:9000/", /be allowed by the user/);
  await refused("http://[::ffff:127.0.0.1]:9000/", /be allowed by the user/);
  await library.changeSettings({ settings: { webhookHosts: ["hooks.example"] } });
  await webhooks.createWebhook({ url: "https://hooks.example/x", types: null });
  for (let more = 1; more < 20; more++)
    await webhooks.createWebhook({ url: `http://127.0.0.1:9/${more}`, types: null });
  await refused("http://127.0.0.1:9/21", /there are 20 webhooks already/);
});
