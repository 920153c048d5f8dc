/** With a TZ that names no zone, the service still finds the machine's zone, and its processes have the same one. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { machineZone } from "../../actors/kernel/machine-zone.ts";
import { bundled } from "../bundled.ts";

const dir = mkdtempSync(join(tmpdir(), "troupe-test-"));
after(() => rmSync(dir, { recursive: true }));

const zoneFiles = join(dir, "zoneinfo");
for (const [name, rules] of [
  ["Europe/Paris", "paris"],
  ["Asia/Tokyo", "tokyo"],
  ["Asia/Seoul", "tokyo"],
] as const) {
  mkdirSync(join(zoneFiles, name, ".."), { recursive: true });
  writeFileSync(join(zoneFiles, name), rules);
}
symlinkSync(join(zoneFiles, "Europe/Paris"), join(dir, "link"));
writeFileSync(join(dir, "copy"), "tokyo");
const places = (localtime: string, name = "") => {
  const nameFile = join(dir, `name ${name.replace("/", "-")}`);
  writeFileSync(nameFile, `${name}\n`);
  return { localtime: join(dir, localtime), nameFile, zoneFiles };
};

test("TZ gives the zone by its name or the path of its file, with or without a colon", () => {
  for (const tz of [
    "Asia/Tokyo",
    ":Asia/Tokyo",
    "/usr/share/zoneinfo/Asia/Tokyo",
    ":/x/zoneinfo/posix/Asia/Tokyo",
  ])
    assert.equal(machineZone(tz, places("link")), "Asia/Tokyo", tz);
  assert.equal(machineZone("Asia/Calcutta", places("link")), machineZone("Asia/Kolkata", places("link")));
});

test("when TZ names no zone, the system's files do: by a link, a name file or equal content", () => {
  for (const tz of [
    "",
    ":",
    ":/etc/localtime",
    "/etc/localtime",
    "Nowhere/Else",
    "CET-1CEST",
    "../../etc/passwd",
    "\u001b[31m",
  ])
    assert.equal(machineZone(tz, places("link")), "Europe/Paris", tz);
  assert.equal(machineZone("", places("copy", "Asia/Tokyo")), "Asia/Tokyo");
  assert.equal(machineZone("", places("copy", "Europe/Paris")), "Asia/Seoul", "the name file is out of date");
  assert.equal(machineZone("", places("none", "Asia/Tokyo")), "Asia/Tokyo");
  assert.equal(machineZone("", places("none", "nonsense")), "UTC");
});

const program = `
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { machineZone, settleZone } from ${JSON.stringify(await bundled(new URL("../../actors/kernel/machine-zone.ts", import.meta.url)))};
const own = "Intl.DateTimeFormat().resolvedOptions().timeZone";
const said = "require('node:worker_threads').parentPort.postMessage(" + own + ")";
const seen = [];
for (const tz of JSON.parse(process.argv[1])) {
  process.env.TZ = tz;
  settleZone();
  const [thread] = await once(new Worker(said, { eval: true, execArgv: [] }), "message");
  seen.push([machineZone(), eval(own), process.env.TZ, thread]);
}
console.log(JSON.stringify(seen));
`;

test("a service, its threads and its processes have the same zone, whatever TZ is", async () => {
  const zone = machineZone("");
  const asked = ["", "Nowhere/Else", ":/etc/localtime", "Asia/Tokyo"];
  const args = ["--input-type=module", "-e", program, JSON.stringify(asked)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const four = (name: string) => Array.from({ length: 4 }, () => name);
  assert.deepEqual(JSON.parse(stdout), [four(zone), four(zone), four(zone), four("Asia/Tokyo")]);
});
