/** The lock of a script's process alone: on a system without walls, only it keeps scripts from sockets. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundled } from "../bundled.ts";

let dir: string;
let heard = 0;
const servers: Server[] = [];
let answers: Record<string, string | null> = {};
let names: string[] = [];

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  const path = join(dir, "socket");
  for (const where of [{ path }, { port: 0, host: "127.0.0.1" }]) {
    const server = createServer(() => {
      heard += 1;
    }).listen(where);
    await once(server, "listening");
    servers.push(server);
  }
  const address = servers[1]?.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const program = fileURLToPath(await bundled(new URL("./script-locked.mjs", import.meta.url)));
  const { stdout } = await promisify(execFile)(process.execPath, [program, path, String(port)]);
  ({ answers, names } = JSON.parse(stdout));
});
after(async () => {
  for (const server of servers) server.close();
  await rm(dir, { recursive: true, force: true });
});

describe("behind the lock alone a script may not", () => {
  for (const name of [
    "connect over TCP",
    "connect to a Unix socket",
    "connect a handle to a Unix socket",
    "bind a handle",
    "open a descriptor as a handle",
    "listen for others",
    "listen by a server's handle",
    "bind over UDP",
    "bind a handle over UDP",
    "send over UDP",
    "connect over UDP",
  ])
    it(name, () => assert.equal(answers[name], "ERR_ACCESS_DENIED"));

  it("put a method back", () => assert.equal(answers["put a method back"], "TypeError"));

  it("reach any listener", () => assert.equal(heard, 0));
});

describe("behind the lock, process is without", () => {
  for (const [what, gone] of Object.entries({
    "diagnostic reports": ["report"],
    "its input and raw output": ["stdin", "openStdin", "_rawDebug"],
    "modules and bindings": [
      "binding",
      "_linkedBinding",
      "getBuiltinModule",
      "dlopen",
      "mainModule",
      "_preload_modules",
      "moduleLoadList",
    ],
    "signals and debuggers": [
      "kill",
      "_kill",
      "abort",
      "_debugProcess",
      "_debugEnd",
      "debugPort",
      "_startProfilerIdleNotifier",
    ],
    "other programs and users": [
      "execve",
      "setuid",
      "setgid",
      "seteuid",
      "setegid",
      "setgroups",
      "initgroups",
      "umask",
      "chdir",
    ],
    "open handles and requests": ["_getActiveHandles", "_getActiveRequests"],
    "files of settings, and of maps": ["loadEnvFile", "setSourceMapsEnabled"],
  }))
    it(what, () =>
      assert.deepEqual(
        names.filter((name) => gone.includes(name)),
        [],
      ),
    );
});
