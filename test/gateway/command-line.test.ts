/** The command line: exit codes, settings across restarts, and one service per data directory. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { request } from "undici";
import { probeIsolation } from "../../actors/script/isolation.ts";
import { serve, troupe, troupeFed } from "./serve.ts";

let data: string;
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-cli-"));
});
after(() => rm(data, { recursive: true, force: true }));

async function statusOf(apiUrl: string, token: string): Promise<number> {
  const reply = await request(new URL("/v1/capacity", apiUrl), {
    headers: { authorization: `Bearer ${token}` },
  });
  await reply.body.dump();
  return reply.statusCode;
}

test("wrong usage exits with 2 and names the mistake", async () => {
  for (const [args, text] of [
    [["nonsense"], /unknown command 'nonsense'/],
    [["serve", "--port", "70000"], /an integer from 0 to 65535/],
    [["serve", "--colour"], /unknown option '--colour'/],
    [["serve", "--api", "maybe"], /Allowed choices are on, off/],
    [["token", "mint"], /missing required argument 'name'/],
    [["token", "mint", "x", "--access", "all"], /Allowed choices are read, write/],
    [["script", "approve"], /missing required argument 'id'/],
  ] as const) {
    const { code, stderr } = await troupe(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, text);
  }
});

test("a command that needs a service exits with 1 when none runs, and its error says how to start one", async () => {
  const { code, stderr } = await troupe("status", "--data", data);
  assert.equal(code, 1);
  assert.match(stderr, /no service runs on .*troupe serve/);
});

test("a second service on the same data directory exits with 3 and names the holder", async () => {
  const served = await serve(data);
  try {
    const { code, stderr } = await troupe("serve", "--data", data);
    assert.equal(code, 3);
    assert.match(stderr, new RegExp(`${served.pid}`));
  } finally {
    assert.equal((await served.end("SIGINT")).code, 0);
  }
});

test("only the user can read the data directory", async () => {
  assert.equal((await stat(data)).mode & 0o777, 0o700);
});

test("tokens are minted, listed and revoked, with and without a running service", async () => {
  const offline = await troupe("token", "mint", "offline", "--data", data);
  assert.equal(offline.code, 0, offline.stderr);
  const served = await serve(data);
  try {
    assert.equal(await statusOf(served.apiUrl, offline.stdout.trim()), 200);
    const minted = await troupe("token", "mint", "reader", "--access", "read", "--data", data, "--json");
    const { token } = JSON.parse(minted.stdout);
    assert.equal(await statusOf(served.apiUrl, token), 200);
    const twice = await troupe("token", "mint", "reader", "--data", data);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /reader/);
    const listed = await troupe("token", "list", "--data", data);
    assert.match(listed.stdout, /NAME +ACCESS/);
    assert.match(listed.stdout, /reader +read/);
    assert.ok(!listed.stdout.includes(token));
    assert.equal((await troupe("token", "revoke", "reader", "--data", data)).code, 0);
    assert.equal(await statusOf(served.apiUrl, token), 401);
    assert.equal((await troupe("token", "revoke", "reader", "--data", data)).code, 1);
  } finally {
    await served.end("SIGINT");
  }
});

test("the API is off by default, and a change persists across restarts", async () => {
  const fresh = await mkdtemp(join(tmpdir(), "troupe-cli-off-"));
  const start = async () => {
    const { startService } = await import("../../gateway/startup.ts");
    const nothing = { port: null, browsersMax: null, expensiveCallsMax: null, mint: null };
    return startService({ dataDir: fresh, apiOn: false, ...nothing });
  };
  try {
    const first = await start();
    assert.equal(first.apiUrl, null);
    const on = await troupe("api", "on", "--data", fresh, "--json");
    assert.equal(on.code, 0, on.stderr);
    const { apiUrl } = JSON.parse(on.stdout);
    const { token } = JSON.parse((await troupe("token", "mint", "t", "--data", fresh, "--json")).stdout);
    assert.equal(await statusOf(apiUrl, token), 200);
    await first.stop();
    const second = await start();
    assert.equal(second.apiUrl, apiUrl, "the chosen port is reused");
    assert.equal((await troupe("api", "off", "--data", fresh)).code, 0);
    await assert.rejects(statusOf(apiUrl, token), /ECONNREFUSED/);
    await second.stop();
    const third = await start();
    assert.equal(third.apiUrl, null);
    await third.stop();
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
});

test("uploads prints the folder from which set-file takes files", async () => {
  const { code, stdout } = await troupe("uploads", "--data", data);
  assert.deepEqual([code, stdout.trim()], [0, join(data, "uploads")]);
  assert.ok((await stat(join(data, "uploads"))).isDirectory());
});

test("doctor checks the machine, and exits with 0 when the service can run", async () => {
  const { code, stdout } = await troupe("doctor", "--data", data, "--json");
  const findings: { name: string; ok: boolean; finding: string }[] = JSON.parse(stdout);
  assert.deepEqual(
    findings.map(({ name }) => name),
    ["node", "chromium", "display", "memory", "files", "data", "scripts", "processes", "service"],
  );
  assert.equal(code, 0, stdout);
  const { level, summary } = await probeIsolation();
  const scripts = findings.find(({ name }) => name === "scripts")?.finding ?? "";
  assert.ok(scripts.startsWith(`${level}: ${summary}`), scripts);
});

test("a rotating pool is created from a line on stdin, and the echo service is a setting", async () => {
  const line = "residential://customer-{session}:s3cret@gateway.example:7000";
  const made = await troupeFed(`${line}\n`, "proxy", "rotating", "Gateway", "--data", data, "--json");
  assert.equal(made.code, 0, made.stderr);
  const pool = JSON.parse(made.stdout);
  assert.deepEqual([pool.name, pool.kind, pool.entries], ["Gateway", "rotating", 1]);
  assert.ok(!made.stdout.includes("s3cret"));
  const urls = ["http://127.0.0.1:1/", "https://echo.example/"];
  await troupe("proxy", "exit", "--data", data, "--echo-url", ...urls);
  const shown = await troupe("proxy", "exit", "--data", data, "--json");
  assert.deepEqual(JSON.parse(shown.stdout), { echoUrls: urls, geoFile: null });
});

test("a reader that closes the output early causes no error", async () => {
  const built = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));
  const line = `"${process.execPath}" "${built}" completion fish | head -n 1`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", line]);
  assert.match(stdout, /^# fish completion/);
  assert.equal(stderr, "");
});

test("a command loads only the package of its grammar, because the service is a separate bundle", async () => {
  const bundle = await readFile(new URL("../../dist/troupe.js", import.meta.url), "utf8");
  const loaded = [...bundle.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);
  assert.deepEqual(
    [...new Set(loaded)].filter((name) => name?.startsWith("node:") !== true),
    ["commander"],
  );
});
