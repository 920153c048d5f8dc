/** Hostile scripts on a real browser, against the CDP policy, the process's lock and the page guard; script-walls tests each wall alone. */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { RunProfileOutcome } from "../../../protocol/messages/library.ts";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";
import { countedListeners } from "../counted-listeners.ts";
import { attempts, takesChannel } from "./script-attempts.ts";

const script = `
import { chromium } from "playwright-core";
export default async function run({ page, browser, cdpUrl, variables, output }) {
  const { constructor: Made } = async () => {};
  const hidden = await new Made("return process")();
  await page.goto(variables.site);
  ${takesChannel}
  const connect = (target) => new Promise((resolve, reject) => {
    new channel.constructor().on("error", reject).connect(target, resolve);
  });
  const cdp = await page.context().newCDPSession(page);
  const root = await browser.newBrowserCDPSession();
  const attempt = async (name, act) => {
    try { output({ name, got: String(await act()).slice(0, 200) }); }
    catch (error) { output({ name, denied: error.message }); }
  };
  ${Object.entries(attempts)
    .map(([name, { code }]) => `await attempt(${JSON.stringify(name)}, async () => ${code});`)
    .join("\n")}
}`;

let bench: ScriptBench;
let other: ScriptBench;
let outcome: RunProfileOutcome;
let port = "";
let mark = "";
const listeners = countedListeners();

before(async () => {
  [bench, other] = await Promise.all([openScriptBench(), openScriptBench()]);
  mark = path.join(bench.root, "mark.png");
  const socket = path.join(bench.root, "socket");
  await listeners.listen(socket);
  const address = (await listeners.listen({ port: 0 })).address();
  port = typeof address === "object" && address !== null ? String(address.port) : "";
  outcome = await bench.run(script, {
    variables: {
      site: bench.site,
      mark,
      port,
      socket,
      owner: String(process.pid),
      database: path.join(bench.root, "secret.txt"),
      other: other.cdpUrl,
      otherProfile: path.join(other.root, "user-data"),
    },
    refusedPorts: [Number(port)],
  });
  // No unapproved script runs while a page of this machine is open.
  await bench.run(
    "export default async ({ page }) => { for (const tab of page.context().pages()) await tab.goto('about:blank'); };",
  );
});
after(async () => {
  listeners.close();
  await Promise.all([bench.close(), other.close()]);
});

describe("a hostile script cannot", () => {
  for (const [name, { hears }] of Object.entries(attempts))
    it(name, () => {
      const row = outcome.output.find((one) => one.name === name);
      assert.ok(row !== undefined, outcome.error ?? "no answer");
      assert.match(String(row.denied ?? `it succeeded with ${row.got}`), hears);
    });

  it("reach a listener, or write a file, unseen", async () => {
    assert.equal(listeners.heard, 0);
    await assert.rejects(stat(mark));
  });

  it("open a page of this machine while it is not approved, nor can a page of its own", async () => {
    const { output, error } = await bench.run(
      `export default async ({ page, variables, output }) => {
        for (const url of ["127.0.0.1", "localhost", variables.name].map((name) => variables.site.replace("127.0.0.1", name)))
          await page.goto(url).catch((error) => output({ denied: error.message }));
        for (const name of ["127.0.0.1", variables.name]) {
          const tab = await page.context().newPage();
          await tab.evaluate((url) => { location.href = url; }, variables.site.replace("127.0.0.1", name));
          await tab.waitForURL(/http:/, { timeout: 5_000 }).catch((error) => output({ denied: error.message }));
          await tab.close();
        }
      };`,
      { approved: false, variables: { site: bench.site, name: hostname() } },
    );
    const denied = output.map((row) => String(row.denied));
    for (const asked of denied.slice(0, 3)) assert.match(asked, /is refused: only an approved script/);
    for (const gone of denied.slice(3)) assert.match(gone, /ERR_BLOCKED_BY_CLIENT/);
    assert.deepEqual([denied.length, error], [5, null]);
  });

  it("learn the browser's address while it is not approved", async () => {
    const { result } = await bench.run("export default async ({ cdpUrl }) => cdpUrl;", {
      library: "puppeteer",
      approved: false,
    });
    assert.match(String(result), /^cdp:\/\/run\//);
  });

  it("import a built-in module at the top", async () => {
    const { error } = await bench.run('import fs from "node:fs"; export default async () => fs;');
    assert.match(error ?? "", /import of "node:fs" is refused/);
  });

  it("see the environment", async () => {
    const { result } = await bench.run("export default async () => Object.keys(process.env);");
    const names = Array.isArray(result) ? result : ["none"];
    assert.deepEqual(
      names.filter((name) => !["TMPDIR", "HOME", "PWD", "TZ", "LANG"].includes(String(name))),
      [],
    );
  });
});
