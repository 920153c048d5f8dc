/** The page Running of a fleet's head: its machines and slots, what waits for what, and draining one. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import type { Ledger } from "../../actors/fleet/ledger.ts";
import { openPostgres, type Postgres } from "../../actors/fleet/postgres.ts";
import { createWorkerLedger } from "../../actors/fleet/worker-ledger.ts";
import { needsPostgres, noPostgres, startPostgres, type TestPostgres } from "../fleet/postgres.ts";
import { createProfiles } from "../gateway/running.ts";
import { troupe } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

const slots = 2;
const machine = { name: "w1", label: "default", platform: process.platform, engine: 999, troupe: "1", slots };

let room: string;
let server: TestPostgres;
let postgres: Postgres;
let worker: Pick<Ledger, "join" | "claim" | "begin" | "leave">;
let control: ControlPage;
let card: Locator;
before(async () => {
  if (noPostgres !== false) return;
  room = await mkdtemp(join(tmpdir(), "troupe-test-"));
  const dataDir = join(room, "data");
  server = await startPostgres();
  const archives = `dir:${join(room, "store")}`;
  const on = await troupe("fleet", "on", "--postgres", server.uri, "--archives", archives, "--data", dataDir);
  assert.equal(on.code, 0, on.stderr);
  postgres = await openPostgres(server.uri, 1);
  worker = createWorkerLedger(postgres);
  control = await openControlPage({ dataDir });
  card = control.page.getByRole("region", { name: "Fleet" });
});
after(async () => {
  if (noPostgres !== false) return;
  await control.close();
  await postgres.close();
  await server.close();
  await rm(room, { recursive: true, force: true });
});

async function startBatch(count: number): Promise<void> {
  const { client, service } = control.running;
  const profile_ids = await createProfiles(client, count);
  const source = "export default async function run() {}";
  const { body } = await client.post("/v1/scripts", { name: "s", source });
  const { scriptId } = Object(body);
  await service.actors.library.approveScript({ scriptId, sha256: null });
  const started = await client.post("/v1/scripts/batch", { script_id: scriptId, profile_ids });
  assert.equal(started.status, 200, JSON.stringify(started.body));
}

test("the page shows machines, their slots and what waits, and drains one", needsPostgres, async () => {
  const { page, base } = control;
  await page.goto(`${base}#/running`);
  await card.getByText("No machine is in the fleet.").waitFor();
  await startBatch(3);
  await card.getByText("3 wait for a machine: none is in the fleet, or all are drained").waitFor();

  await worker.join({ session: "one", ...machine });
  const row = card.getByRole("row", { name: "w1" });
  await row.getByText("0 of 2").waitFor();
  await card.getByText("3 wait for a free slot").waitFor();
  const [claim] = await worker.claim("one", 1, []);
  assert.ok(claim);
  assert.ok(await worker.begin({ ...claim, session: "one" }));
  await row.getByText("1 of 2").waitFor();
  await row.getByText("works").waitFor();
  await row.getByText(/^Profile [123]$/).waitFor();
  await card.getByText("1 part run, 2 wait:").waitFor();
  await control.shoot("fleet");
  await control.checkAccess();

  await row.getByRole("button", { name: "Drain w1" }).click();
  await row.getByText("drains").waitFor();
  assert.deepEqual(await worker.claim("one", 1, [claim]), []);
  await row.getByRole("button", { name: "Let claim again w1" }).click();
  await row.getByText("works").waitFor();
  assert.equal((await worker.claim("one", 1, [claim])).length, 1);
});

test("while PostgreSQL is away the page says so, and keeps what it knew", needsPostgres, async () => {
  await server.stop();
  await card.getByText(/PostgreSQL at .*/).waitFor();
  await card.getByRole("row", { name: "w1" }).waitFor();
  await server.start();
  await card.getByText(/PostgreSQL at .*/).waitFor({ state: "detached" });
  await worker.leave("one");
  await card.getByText("No machine is in the fleet.").waitFor();
});

test("no page reports an error", needsPostgres, () => assert.deepEqual(control.troubles, []));
