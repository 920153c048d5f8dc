/** The operations thread beside a real library: what an operation leaves when the thread ends. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../../actors/kernel/log.ts";
import { superviseActors } from "../../../actors/kernel/supervisor.ts";
import type { LibraryApi } from "../../../protocol/messages/library.ts";
import type { OperationsApi, OperationsConfig } from "../../../protocol/messages/operations.ts";
import { bundled } from "../../bundled.ts";

test("a creation whose thread ends fails and creates nothing, and the restarted thread creates again", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-operations-"));
  const log = createLog("test", () => {});
  const entry = await bundled(new URL("./mortal-operations.ts", import.meta.url));
  const config = (restarted: boolean): OperationsConfig => ({
    host: { os: "linux", architecture: "x86" },
    chromiumPath: "chromium",
    ownPorts: [],
    restarted,
  });
  const supervisor = await superviseActors(
    [
      { name: "library", config: () => ({ dataDir }), peers: [] },
      { name: "operations", entry, config, peers: ["library"] },
    ],
    log,
  );
  const library = supervisor.api<LibraryApi>("library");
  t.after(async () => {
    await supervisor.end("operations");
    await library.close({});
    await supervisor.end("library");
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { pool } = await library.createProxyPool({ name: "Pool", type: "http", lines: ["proxy.example:1"] });
  const operations = supervisor.api<OperationsApi>("operations");
  const wanted = { count: 2, nameTemplate: "P {n}", os: null, tags: [], proxyPoolId: pool.id };
  await assert.rejects(operations.createProfiles(wanted), {
    kind: "internal",
    message: "the operations thread ended; it is being restarted",
  });
  assert.deepEqual(await library.takenDevices({ os: "linux" }), { keys: [] });
  assert.equal((await operations.createProfiles(wanted)).created.length, 2);
});
