/** Every failed start has its own message, which names the file and the remedy, and its own exit code. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { streams } from "../../gateway/cli/output.ts";
import { serve } from "../../gateway/cli/serve.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { openDatabase } from "../../storage/open-database.ts";
import { migrations } from "../../storage/schema.ts";
import { openStorage } from "../../storage/storage.ts";

const command = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "troupe-start-"));
const sound = join(root, "sound");
const said: string[] = [];
const stderr = streams.err;
const { CHROMIUM_PATH: chromium, TROUPE_CACHE_DIR: cache } = process.env;

before(async () => {
  streams.err = { write: (text: string | Uint8Array) => said.push(String(text)) > 0 };
  process.env.CHROMIUM_PATH = process.execPath; // Its existence is checked; it is not started.
  delete process.env.TROUPE_CACHE_DIR; // The cache is in the data directory then.
  const storage = await openStorage({ dataDir: sound, warn: () => {} });
  await storage.close();
});
after(() => {
  streams.err = stderr;
  if (chromium === undefined) delete process.env.CHROMIUM_PATH;
  else process.env.CHROMIUM_PATH = chromium;
  if (cache !== undefined) process.env.TROUPE_CACHE_DIR = cache;
  rmSync(root, { recursive: true, force: true });
});

interface Failure {
  name: string;
  spoil(dir: string): void | Promise<void>;
  says: RegExp;
  exit: number;
}

const failures: Failure[] = [
  {
    name: "a data directory that is a file",
    spoil(dir) {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, "");
    },
    says: /^troupe: .+ cannot be used: it is not a directory \(EEXIST\); name another directory with --data\n$/,
    exit: 8,
  },
  {
    name: "a data directory that all users may write to",
    spoil: (dir) => chmodSync(dir, 0o777),
    says: /^troupe: invalid request: the data directory .+ is shared with other users; name a directory of your own\n$/,
    exit: 7,
  },
  {
    name: "a lock that is a directory",
    spoil: (dir) => void mkdirSync(join(dir, "lock")),
    says: /^troupe: conflict: .+lock is not a lock of Troupe; remove it when nothing uses the directory\n$/,
    exit: 3,
  },
  {
    name: "an instance file that is a directory",
    spoil: (dir) => void mkdirSync(join(dir, "instance.json")),
    says: /^troupe: .+instance\.json is a directory; remove it\n$/,
    exit: 7,
  },
  {
    name: "a key that is missing",
    spoil: (dir) => rmSync(join(dir, "vault.key")),
    says: /^troupe: .+vault\.key is missing: .+; restore it from a backup\n$/,
    exit: 11,
  },
  {
    name: "a key of another size",
    spoil: (dir) => truncateSync(join(dir, "vault.key"), 16),
    says: /^troupe: .+vault\.key holds 16 bytes, a key has 32; restore it from a backup\n$/,
    exit: 11,
  },
  {
    name: "a library that is empty",
    spoil: (dir) => truncateSync(join(dir, "library.sqlite"), 0),
    says: /^troupe: .+library\.sqlite is damaged at offset 0: the file is empty; restore a backup with troupe restore\n$/,
    exit: 9,
  },
  {
    name: "the key of another library",
    spoil: (dir) => writeFileSync(join(dir, "vault.key"), Buffer.alloc(32)),
    says: /^troupe: .+vault\.key is not the key that this data was sealed with; restore that key\n$/,
    exit: 11,
  },
  {
    name: "a library of a later release",
    async spoil(dir) {
      const later = [...migrations, "CREATE TABLE later (body TEXT) STRICT"];
      const nobody = { broken: () => {}, warn: () => {} };
      const options = { disk: nodeDisk, dir, migrations: later, journalBytesMin: 2 ** 20, ...nobody };
      await (await openDatabase(options)).close();
    },
    says: /^troupe: the library is of schema \d+, this build knows \d+: a later release wrote it; run that release\n$/,
    exit: 10,
  },
  {
    name: "a damaged library",
    spoil(dir) {
      const file = join(dir, "library.sqlite");
      writeFileSync(file, readFileSync(file).fill(0, 100, 200));
    },
    says: /^troupe: .+library\.sqlite is damaged at offset 0: .+; restore a backup with troupe restore\n$/,
    exit: 9,
  },
];

/** A file of the start, and what stands in its place. A pipe must be no more than a message: a read of it never returns. */
function inPlace(name: string): Failure[] {
  const says = (kind: string) =>
    new RegExp(`^troupe: .+${name.replaceAll(".", "\\.")} is ${kind}; remove it\n$`);
  const at = (dir: string) => {
    rmSync(join(dir, name), { force: true });
    return join(dir, name);
  };
  return [
    {
      name: `a directory at ${name}`,
      spoil: (dir) => void mkdirSync(at(dir)),
      says: says("a directory"),
      exit: 7,
    },
    {
      name: `a pipe at ${name}`,
      spoil: (dir) => void execFileSync("mkfifo", [at(dir)]),
      says: says("a named pipe"),
      exit: 7,
    },
  ];
}
failures.push(...["vault.key", "instance.json", "library.sqlite"].flatMap(inPlace));
failures.push(
  ...["profiles", "uploads", "runs", "tmp", "cache"].map((name) => ({
    name: `a file at ${name}`,
    spoil(dir: string) {
      rmSync(join(dir, name), { recursive: true, force: true });
      writeFileSync(join(dir, name), "");
    },
    says: new RegExp(`^troupe: .+${name} is a file, and must be a directory; remove it\n$`),
    exit: 7,
  })),
  {
    name: "a lock that is a pipe",
    spoil: (dir) => void execFileSync("mkfifo", [join(dir, "lock")]),
    says: /^troupe: conflict: .+lock is not a lock of Troupe; remove it when nothing uses the directory\n$/,
    exit: 3,
  },
);

describe("a start fails with its own message and exit code for", () => {
  for (const { name, spoil, says, exit } of failures) {
    // A start that succeeds runs on.
    test(name, { timeout: 60_000 }, async () => {
      const dir = join(root, name.replaceAll(" ", "-"));
      cpSync(sound, dir, { recursive: true });
      await spoil(dir);
      said.length = 0;
      assert.equal(await serve({ data: dir }), exit, said.join(""));
      assert.match(said.join(""), says);
    });
  }

  test("a port that is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    said.length = 0;
    assert.equal(await serve({ data: sound, api: "on", port }), 5, said.join(""));
    assert.equal(
      said.join(""),
      `troupe: conflict: port ${port} is used by another program; choose another with --port (0 for any)\n`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  test("a port that this user may not listen on", (t) => {
    if (process.platform !== "linux") return t.diagnostic("other systems let every user listen on port 80");
    const isRoot = process.getuid?.() === 0;
    const [program, ...head] = [
      ...(isRoot ? ["setpriv", "--bounding-set", "-net_bind_service", "--"] : []),
      process.execPath,
      command,
    ];
    const args = [...head, "serve", "--data", sound, "--api", "on", "--port", "80"];
    const ended = spawnSync(program ?? "", args, { encoding: "utf8" });
    assert.deepEqual(
      [ended.status, ended.stderr],
      [6, "troupe: this user may not listen on port 80; choose one above 1023 with --port (0 for any)\n"],
    );
  });

  test("a path where no directory can be created", async () => {
    said.length = 0;
    assert.equal(await serve({ data: "/proc/none" }), 8, said.join(""));
    assert.match(said.join(""), /^troupe: \/proc\/none cannot be used: /);
  });

  test("a machine without Chromium", async () => {
    process.env.CHROMIUM_PATH = join(root, "no-such-program");
    said.length = 0;
    assert.equal(await serve({ data: sound }), 12);
    assert.match(said.join(""), /CHROMIUM_PATH is .+no-such-program, which is not an executable file/);
    process.env.CHROMIUM_PATH = process.execPath;
  });
});

test("an invalid stored setting does not stop a start: the default applies, with a warning", async () => {
  const warnings: string[] = [];
  const dir = join(root, "unfit");
  cpSync(sound, dir, { recursive: true });
  const storage = await openStorage({ dataDir: dir, warn: () => {} });
  await storage.database.write((sql) => {
    for (const [name, value] of [
      ["apiPort", "99999"],
      ["browsersMax", "{nonsense"],
    ]) {
      sql.run("INSERT INTO settings (name, value) VALUES (?, ?)", [name ?? "", value ?? ""]);
    }
  });
  await storage.close();
  const clock = new ManualClock();
  const library = await createLibrary({ dataDir: dir, clock, warn: (text) => warnings.push(text) });
  const { apiPort, browsersMax } = await library.readSettings({});
  assert.deepEqual({ apiPort, browsersMax }, { apiPort: 0, browsersMax: 0 });
  assert.deepEqual(
    warnings.map((text) => text.split(" is invalid")[0]),
    ["the stored setting apiPort", "the stored setting browsersMax"],
  );
  await library.close({});
});
