/** A Chromium is installed for this user from the archive that a server has, and the service finds it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { crc32 } from "node:zlib";
import { installChromium } from "../../gateway/install-chromium.ts";
import { browsersDir, findChromium } from "../../gateway/machine.ts";

const buildId = "142.0.1.2";
let dir: string;
let requested: string[] = [];
let archive: Buffer = Buffer.alloc(0);
const server = createServer((request, response) => {
  requested.push(request.url ?? "");
  response.setHeader("content-length", archive.length);
  response.end(request.method === "HEAD" ? undefined : archive);
});

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-install-"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});

/** A zip archive with one executable file, not compressed. */
function zipOf(name: string, text: string): Buffer {
  const [path, data] = [Buffer.from(name), Buffer.from(text)];
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0); // The version that it needs.
  shared.writeUInt32LE(crc32(data), 10);
  shared.writeUInt32LE(data.length, 14);
  shared.writeUInt32LE(data.length, 18);
  shared.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, path, data]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((0o100755 << 16) >>> 0, 6);
  const made = Buffer.from([20, 3]); // By Unix, so that the file's mode counts.
  const central = Buffer.concat([Buffer.from("PK\x01\x02"), made, shared, rest, path]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from("PK\x05\x06"), end]);
}

async function installed(program: string, prepare: (browsers: string) => Promise<unknown> = async () => {}) {
  archive = zipOf("chrome-linux64/chrome", program);
  requested = [];
  const env = { ...process.env, XDG_DATA_HOME: await mkdtemp(join(dir, "share-")), CHROMIUM_PATH: "" };
  await prepare(browsersDir(env));
  const said: string[] = [];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const path = installChromium({
    say: (line) => said.push(line),
    env,
    mayUseApt: false,
    source: { baseUrl, buildId },
  });
  return { env, said, path };
}

test("it is downloaded with progress lines, states its version, and is found where the system has none", async () => {
  const { env, said, path } = await installed(`#!/bin/sh\nexec '${findChromium()}' "$@"\n`);
  assert.ok((await path).startsWith(browsersDir(env)), await path);
  assert.ok(requested.some((url) => url === `/${buildId}/linux64/chrome-linux64.zip`));
  assert.match(
    said.join("\n"),
    /downloading Chrome for Testing 142.*\ndownloaded .* MiB[\s\S]*Chromium is .*\d+\.\d+/,
  );
  assert.equal(findChromium(env, "aix"), await path); // A platform without usual places.
});

test("one that does not start is refused with its last words and the remedy, and is not found later", async () => {
  const { env, path } = await installed("#!/bin/sh\necho libnss3.so: cannot open >&2; exit 127\n");
  await assert.rejects(path, /does not start: [\s\S]*libnss3\.so: cannot open[\s\S]*set CHROMIUM_PATH/);
  assert.throws(() => findChromium(env, "aix"), /install one with: troupe chromium install/);
});

/** What installations left that ended while they unpacked or downloaded, the second of an ended process. */
async function halves(browsers: string): Promise<void> {
  const folder = join(browsers, "chrome", `linux-${buildId}`, "chrome-linux64");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ABOUT"), "half");
  await writeFile(join(browsers, "chrome", `${buildId}-chrome-linux64.zip`), "PK half");
  await mkdir(join(browsers, "draft-999999999", "chrome"), { recursive: true });
}

test("what an interrupted installation left does not stop the next one", async () => {
  const { env, path } = await installed(`#!/bin/sh\nexec '${findChromium()}' "$@"\n`, halves);
  await path;
  assert.equal(findChromium(env, "aix"), await path);
  assert.deepEqual((await readdir(browsersDir(env))).toSorted(), ["chrome", "chromium-path"]);
});

test("an archive that is cut off is no browser, and leaves nothing that the next one trips over", async () => {
  const { env, path } = await installed("#!/bin/sh\nexit 1\n", async () => {
    archive = archive.subarray(0, archive.length - 60);
  });
  await assert.rejects(path, /none could be installed/);
  assert.deepEqual(await readdir(browsersDir(env)), []);
});
