/** A hostile process with all Node modules behind each wall alone: the system's walls, and Node's permission model. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Isolation, probeIsolation } from "../../actors/script/isolation.ts";
import { spawnConfined } from "../../actors/script/spawn.ts";
import { seatbeltProfile } from "../../actors/script/visible-files.ts";
import { createWorkspace, type Workspace } from "../../actors/script/workspace.ts";
import { limits } from "../../protocol/limits.ts";
import { countedListeners } from "./counted-listeners.ts";

let root = "";
let intruder = "";
let uploads = "";
let secret = "";
let other = "";
let port = 0;
const listeners = countedListeners();
const udp = dgram.createSocket("udp4");

before(async () => {
  root = await mkdtemp(path.join(tmpdir(), "troupe-test-"));
  uploads = path.join(root, "data", "uploads");
  await mkdir(uploads, { recursive: true });
  await writeFile(path.join(uploads, "photo.txt"), "photo");
  secret = path.join(root, "data", "vault.key");
  await writeFile(secret, "secret");
  other = path.join(root, "other.txt");
  await writeFile(other, "another's");
  intruder = path.join(root, "intruder.mjs");
  await copyFile(fileURLToPath(new URL("./script-intruder.mjs", import.meta.url)), intruder);
  await listeners.listen(path.join(root, "socket"));
  const address = (await listeners.listen({ port: 0, host: "127.0.0.1" })).address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  udp.on("message", () => {
    listeners.heard += 1;
  });
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
});
after(async () => {
  listeners.close();
  udp.close();
  await rm(root, { recursive: true, force: true });
});

type Answers = Record<string, string | null>;

async function intrude(
  start: (workspace: Workspace, args: string[]) => ChildProcess,
  omitted: string[] = [],
): Promise<Answers> {
  const workspace = await createWorkspace(path.join(root, "data", "tmp"));
  const given = {
    owner: process.pid,
    port,
    scratch: workspace.scratchDir,
    socket: path.join(root, "socket"),
    home: homedir(),
    program: intruder,
    fileBytesMax: limits.scratchBytesMax,
    ...{ secret, uploads, other, omitted },
  };
  const child = start(workspace, [intruder, JSON.stringify(given)]);
  let text = "";
  let errors = "";
  child.stdout?.on("data", (part: Buffer) => {
    text += part.toString();
  });
  child.stderr?.on("data", (part: Buffer) => {
    errors += part.toString();
  });
  await once(child, "close");
  assert.notEqual(text, "", errors);
  return JSON.parse(text);
}

// Node 24 ends when the limit of memory leaves no room for a worker's code.
const behind = ({ prefix }: Isolation) =>
  intrude(
    ({ root: own, scratchDir, tempDir }, args) => {
      const view = {
        readable: [intruder, uploads],
        writable: [scratchDir, tempDir],
        root: path.join(own, "view"),
        workDir: scratchDir,
      };
      const [command = "", ...rest] = [...prefix(view), process.execPath, ...args];
      return spawn(command, rest, { env: {}, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    },
    ["start a worker"],
  );

const nowhere = /^(ENOENT|EROFS|EACCES|ENOTDIR|no report)$/;
const hears: Record<string, RegExp> = {
  "read the data directory": nowhere,
  "read /etc/passwd": nowhere,
  "list the home directory": nowhere,
  "read another's temporary file": nowhere,
  "read the owner's environment": nowhere,
  "see other processes": nowhere,
  "write the data directory": nowhere,
  "write beside its directories": nowhere,
  "write a temporary file": nowhere,
  "write shared memory": nowhere,
  "write an upload": nowhere,
  "write its own program": nowhere,
  "write a diagnostic report": nowhere,
  "write a heap snapshot": /ENOENT|EROFS|ERR_/,
  "link out of scratch": nowhere,
  "write a file over the limit": /EFBIG/,
  "use an inherited file": /EBADF/,
  "start a program": nowhere,
  "connect to a Unix socket": nowhere,
  // Bubblewrap's empty network has its own loopback.
  "connect over TCP": /ENETUNREACH|ECONNREFUSED/,
  "signal the owner": /ESRCH/,
};

for (const wall of ["bubblewrap", "unshare"] as const)
  describe(`behind ${wall} alone a process`, () => {
    let isolation: Isolation;
    let answers: Answers = {};
    before(async () => {
      isolation = await probeIsolation([wall]);
      if (isolation.level === "sealed") answers = await behind(isolation);
    });

    it("runs where its program and namespaces are available", async () => {
      const there = existsSync(wall === "bubblewrap" ? "/usr/bin/bwrap" : "/usr/bin/perl");
      const { level } = await probeIsolation(["namespaces"]);
      if (there && level === "namespaces") assert.equal(isolation.level, "sealed");
    });

    const itself = (name: string, check: () => void | Promise<void>) => {
      it(name, async (t) => {
        if (isolation.level === "sealed") await check();
        else t.diagnostic(`${wall} is not available on this machine`);
      });
    };

    for (const allowed of ["write inside scratch", "read an upload"])
      itself(`may ${allowed}`, () => assert.equal(answers[allowed], null));

    for (const [name, code] of Object.entries(hears))
      itself(`may not ${name}`, () => assert.match(answers[name] ?? "it succeeded", code));

    itself("has reached no listener and changed nothing", async () => {
      assert.equal(listeners.heard, 0);
      assert.deepEqual(await readFile(secret, "utf8"), "secret");
    });
  });

describe("behind Node's permission model alone a process", () => {
  let answers: Answers = {};
  before(async () => {
    const open: Isolation = { ...(await probeIsolation([])), prefix: () => [] };
    answers = await intrude((workspace, args) =>
      spawnConfined(open, workspace, { readable: [`${uploads}/*`], heapMb: 256 }, args),
    );
  });

  it("may write inside scratch", () => assert.equal(answers["write inside scratch"], null));

  for (const name of [
    "read the data directory",
    "read /etc/passwd",
    "list the home directory",
    "read another's temporary file",
    "read the owner's environment",
    "write the data directory",
    "write beside its directories",
    "write an upload",
    "write its own program",
    "write a heap snapshot",
    "link out of scratch",
    "start a program",
    "start a worker",
    "open the inspector",
    "load a native module",
    "use an internal binding",
  ])
    it(`may not ${name}`, () =>
      assert.match(answers[name] ?? "it did", /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED/));
});

it("the macOS profile lists what is visible, refuses the rest, and escapes every path", () => {
  const view = { readable: ["/a"], writable: ['/b "c"'], root: "/r", workDir: '/b "c"' };
  assert.equal(
    seatbeltProfile("/node", view),
    `(version 1)
(deny default)
(import "system.sb")
(allow process-exec (literal "/node"))
(allow file-read* (literal "/node") (subpath "/a") (subpath "/b \\"c\\""))
(allow file-read-metadata)
(allow file-write* (subpath "/b \\"c\\""))
(allow signal (target self))
(deny network*)
(deny process-fork)`,
  );
});
