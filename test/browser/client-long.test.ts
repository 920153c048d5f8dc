/** `@troupe/client` is built, packed and used against a real service, and each example of its README runs. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { sectionOf } from "../gateway/readme-commands.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { readRepositoryFile, root } from "../tidy/tree.ts";

const run = promisify(execFile);
const folder = join(root, "gateway", "client");
const readme = readRepositoryFile("gateway/client/README.md");

let running: TestService;
let work: string;
let packed: string;
let env: NodeJS.ProcessEnv;
let profile: string;
before(async () => {
  packed = (await run(process.execPath, [join(root, ".setup", "client.mjs")])).stdout.trim();
  running = await startTestService();
  [profile = ""] = await createProfiles(running.client, 1);
  work = await mkdtemp(join(folder, "generated", ".examples-")); // Inside the package, which they import by its name.
  env = {
    ...process.env,
    TROUPE_URL: running.service.apiUrl ?? "",
    TROUPE_TOKEN: running.token,
    PROFILE: profile,
  };
  await running.client.call("POST", `/v1/profiles/${profile}/launch`, { body: { headless: true } });
});
after(async () => {
  await running.stop();
  await rm(work, { recursive: true, force: true });
});

/** The example below a heading. */
function example(heading: string, language: string): string {
  const [, text = ""] =
    new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(sectionOf(readme, heading)) ?? [];
  assert.notEqual(text, "", heading);
  return text;
}

const strict = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
    skipLibCheck: true,
  },
  include: ["*.mts"],
};

const typescript = {
  "The client: a run": "completed\n",
  "Playwright, TypeScript": "Hello\n",
  "Puppeteer, TypeScript": "Hello\n",
  "An MCP client, TypeScript": "Hello\n",
};

test("the examples in TypeScript compile under strict", async () => {
  for (const [at, heading] of Object.keys(typescript).entries())
    await writeFile(join(work, `${at}.mts`), example(heading, "ts"));
  await writeFile(join(work, "tsconfig.json"), JSON.stringify(strict));
  await run(join(root, "node_modules", ".bin", "tsc"), ["-p", work]).catch(({ stdout }) =>
    assert.fail(stdout),
  );
});

for (const [at, [heading, says]] of Object.entries(typescript).entries())
  test(`the example "${heading}" works`, async () => {
    const { stdout } = await run(process.execPath, ["--import", "tsx", join(work, `${at}.mts`)], {
      env,
      cwd: root,
    });
    assert.equal(stdout, says);
  });

test("the example in plain Python works", async () => {
  const { stdout } = await run("python3", ["-c", example("Python, nothing installed", "py")], { env });
  assert.equal(stdout, "Hello\n");
});

const selenium = existsSync("/usr/bin/chromedriver") && existsSync("/usr/lib/python3/dist-packages/selenium");
test("the example for Selenium works", async (t) => {
  if (!selenium) return t.diagnostic("python3-selenium or chromium-driver is missing");
  const { stdout } = await run("/usr/bin/python3", ["-c", example("Selenium, Python", "py")], { env });
  assert.equal(stdout, "Hello\n");
});

test("the example with curl works", async () => {
  const { stdout } = await run("bash", ["-c", example("curl", "sh")], { env });
  assert.equal(JSON.parse(stdout).title, "Hello");
});

test("the helpers wait for runs, follow events from the past, move files and name refusals", async () => {
  // Untyped: its types are generated, and a fresh clone has not made them yet.
  const { connect, dataOf, TroupeError } = await import(join(folder, "dist", "client.js"));
  const troupe = connect({ url: `${running.service.apiUrl}/v1`, token: running.token });
  const source = `export default async ({ page, scratchDir }) => { await page.screenshot({ path: scratchDir + "/a.png" }); };`;
  const { scriptId } = await dataOf(troupe.api.POST("/v1/scripts", { body: { name: "a.ts", source } }));
  const started = await dataOf(
    troupe.api.POST("/v1/scripts/run", { body: { script_id: scriptId, profile_ids: [profile] } }),
  );
  const [ended, again] = await Promise.all([troupe.waitForRun(started.id), troupe.waitForRun(started.id)]);
  assert.deepEqual([ended.status, again.status], ["completed", "completed"]);
  const picture = await troupe.runFile(started.id, profile, "a.png");
  assert.equal(Buffer.from(picture.subarray(1, 4)).toString(), "PNG");

  const seen: string[] = [];
  for await (const { type } of troupe.events({ runId: started.id, after: 0 })) {
    seen.push(type);
    if (type === "run.ended") break;
  }
  assert.deepEqual([seen[0], seen.at(-1)], ["run.started", "run.ended"]);

  const twin = await troupe.importProfile(
    await troupe.exportProfile(profile).catch(async () => {
      await running.client.call("POST", `/v1/profiles/${profile}/stop`);
      return troupe.exportProfile(profile);
    }),
  );
  assert.notEqual(twin.id, profile);
  const unknown = troupe.waitForRun("7d9f5f6e-3a55-4b5e-9f2e-1c2d3e4f5a6b");
  await assert.rejects(unknown, (error: unknown) => {
    const { status, message } = Object(error);
    return error instanceof TroupeError && status === 404 && /^not found/.test(message);
  });
  assert.throws(() => connect({ url: "http://127.0.0.1:1", token: "" }), /troupe token mint/);
  assert.match(packed, /troupe-client-\d+\.\d+\.\d+\.tgz$/);
});
