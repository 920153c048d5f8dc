/** `troupe doctor --report`: complete without a service, and without secrets, users, machines, sites and names. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { createAnonymizer } from "../../gateway/cli/anonymous.ts";
import { writeReport } from "../../gateway/cli/report.ts";
import { logFileIn } from "../../gateway/instance.ts";
import { command } from "./in-process.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

const dir = mkdtempSync(join(tmpdir(), "troupe-test-"));
let app: TestService;
before(async () => {
  app = await startTestService();
});
after(async () => {
  await app.stop();
  rmSync(dir, { recursive: true });
});

const findings = [{ name: "service", ok: true, finding: "as it is" }];
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));

test("a running service's report has its versions, process, capacity, settings, counts and last lines", async () => {
  const [id = ""] = await createProfiles(app.client, 2);
  const { body } = await app.client.get("/v1/profiles");
  const { name } = (body as { id: string; name: string }[]).find((profile) => profile.id === id) ?? {
    name: "",
  };
  const proxy = "secret-proxy.example.org";
  const pools = await app.client.post("/v1/proxy-pools", {
    name: "p",
    lines: [`http://u:pass-word@${proxy}:80`],
  });
  const { id: poolId } = (pools.body as { pool: { id: string } }).pool;
  await app.client.post(`/v1/proxy-pools/${poolId}/assign`, { profile_ids: [id] });
  const said = `${name} of ${homedir()} on ${hostname()} by ${proxy} with ${app.token}`;
  mkdirSync(dirname(logFileIn(app.dataDir)), { recursive: true });
  appendFileSync(logFileIn(app.dataDir), `${JSON.stringify({ message: said })}\nno JSON\n`);
  const path = join(dir, "running.json");
  const { code, stdout, stderr } = await command("doctor", "--data", app.dataDir, "--report", path);
  assert.ok(stdout.includes(`Report: ${path}`), `${code} ${stdout} ${stderr}`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, "utf8");
  for (const hidden of [name, homedir(), hostname(), proxy, "pass-word", app.token, app.dataDir])
    assert.ok(!text.includes(hidden), hidden);
  const { versions, service, log, dataDir, machine } = read(path);
  assert.match(versions.node, /^v\d+/);
  assert.match(versions.troupe, /^\d+\.\d+/);
  assert.equal(service.process.pid, process.pid);
  assert.ok(service.process.openDescriptors > 10 && machine.disk.sizeMib > 0);
  assert.deepEqual([service.counts.profiles, service.counts.profilesWithProxy], [2, 1]);
  assert.ok(service.settings.idleTimeoutSecs > 0 && service.capacity.max > 0);
  assert.equal(log.at(-1), "no JSON");
  assert.equal(log.at(-2).message, `profile ${id} of ~ on HOST by proxy-host with troupe_[redacted]`);
  assert.equal(dataDir.profiles.entries, 0);
});

test("a service that hangs, or does not run, is no obstacle, and a file is not overwritten", async () => {
  const path = join(dir, "hung.json");
  await writeReport(
    { data: app.dataDir },
    [{ name: "service", ok: false, finding: "does not answer" }],
    path,
  );
  assert.equal(read(path).service.settings, undefined);
  assert.equal(read(path).service.process.pid, process.pid);
  const none = join(dir, "none.json");
  await writeReport({ data: join(dir, "no such directory") }, findings, none);
  const { service, log, dataDir } = read(none);
  assert.deepEqual(service, { process: "not running" });
  for (const missing of [log, dataDir]) assert.match(String(missing), /ENOENT/);
  await assert.rejects(
    writeReport({ data: dir }, findings, none),
    /none\.json exists already; name a new file/,
  );
});

test("hosts are replaced by the same word each time; loopback, files and versions stay", () => {
  const anonymous = createAnonymizer({
    dirs: [["/data/of/me", "DATA"]],
    user: "jo",
    machine: "box",
    names: new Map([["Shop (1)", "profile 1"]]),
  });
  const cases: [string, string][] = [
    ["https://a.shop.example/x?y=1 and a.shop.example:443", "https://host-1/… and host-1:443"],
    ["203.0.113.7 refused; [2001:db8::1]:80 too", "host-3 refused; [host-2]:80 too"],
    [
      "http://127.0.0.1:4477/v1 and [::1]:80 and localhost:1",
      "http://127.0.0.1:4477/v1 and [::1]:80 and localhost:1",
    ],
    ["at file:///data/of/me/serve.js:12:3 (boundary.ts:40)", "at file://DATA/serve.js:12:3 (boundary.ts:40)"],
    ["Chromium 140.0.7339.80 on 6.1.0-18", "Chromium 140.0.7339.80 on 6.1.0-18"],
    ["Shop (1): jo@box, job, a box", "profile 1: USER@HOST, job, a HOST"],
    ["SHOP (1) in /data/of/me/x and /data/of/mean", "profile 1 in DATA/x and /data/of/mean"],
    ["getaddrinfo ENOTFOUND a.shop.example", "getaddrinfo ENOTFOUND host-1"],
    ["connect ECONNREFUSED fd00:1234::7:443 at 10:20:30", "connect ECONNREFUSED host-4:443 at 10:20:30"],
    ["via gw.one.example port 80 from jane.doe@a.shop.example", "via host-5 port 80 from USER@host-1"],
    ['"webhookHosts":["a.shop.example"] //cdn.one.example/x', '"webhookHosts":["host-1"] //host-6/x'],
    [
      "Page.navigate in process.env of node::NewIsolate, lib/a.b.c",
      "Page.navigate in process.env of node::NewIsolate, lib/a.b.c",
    ],
    ["C:\\Users\\Jane Doe\\x", "C:\\Users\\USER\\x"],
    [
      "whsec_MfKQ9r8GKYqrTwjU password=abc X-Api-Key: k1",
      "whsec_[redacted] password=[redacted] X-Api-Key: [redacted]",
    ],
    [
      "at 127.0.0.1:4/#key=aB-c and 10.0.0.1:80:me:pass",
      "at 127.0.0.1:4/#key=[redacted] and host-7:80:[redacted]",
    ],
    [`C:/Users/anna/x and ${"/ho"}me/otto/y`, `C:/Users/USER/x and ${"/ho"}me/USER/y`],
  ];
  for (const [text, wanted] of cases) assert.equal(anonymous(text), wanted);
});
