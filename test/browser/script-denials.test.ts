/** Hostile scripts on a real browser, and a hostile process behind the same walls. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Isolation, probeIsolation } from "../../actors/script/isolation.ts";
import { spawnConfined } from "../../actors/script/spawn.ts";
import { createWorkspace, removeWorkspace } from "../../actors/script/workspace.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import { openScriptBench, type ScriptBench } from "./script-bench.ts";

/** What a hostile script tries from within its run: an expression each, and what it must hear. */
const attempts: Readonly<Record<string, { code: string; hears: RegExp }>> = {
  "read a file through the library": {
    code: 'await page.addScriptTag({ path: "/etc/passwd" })',
    hears: /Access to this API has been restricted/,
  },
  "write a file through the library": {
    code: "await page.screenshot({ path: variables.mark })",
    hears: /Access to this API has been restricted/,
  },
  "upload a foreign file": {
    code: 'await page.setInputFiles("#upload", "/etc/passwd")',
    hears: /Access to this API has been restricted/,
  },
  "upload a foreign file over CDP": {
    code: `await (async () => {
      const { root } = await cdp.send("DOM.getDocument");
      const { nodeId } = await cdp.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#upload" });
      await cdp.send("DOM.setFileInputFiles", { nodeId, files: ["/etc/passwd"] });
    })()`,
    hears: /only files of the uploads and scratch/,
  },
  "import a module": { code: 'await import("node:fs")', hears: /import of "node:fs" is refused/ },
  "import a module from made-up code": {
    code: "await new Function(\"return import('node:fs')\")()",
    hears: /refused|dynamic import callback/,
  },
  "take a built-in module": { code: 'process.getBuiltinModule("node:net")', hears: /is refused/ },
  "use an internal binding": { code: 'process.binding("fs")', hears: /is refused/ },
  "load a native module": { code: 'process.dlopen({ exports: {} }, "/x.node")', hears: /is refused/ },
  "signal the owner": { code: "process.kill(Number(variables.owner), 0)", hears: /is refused/ },
  "take back a lock": { code: "(delete process.kill, process.kill = 1)", hears: /Cannot (delete|assign)/ },
  "connect over TCP": { code: "await connect(Number(variables.port))", hears: /connect is refused/ },
  "connect to a Unix socket": { code: "await connect(variables.socket)", hears: /connect is refused/ },
  fetch: { code: 'await fetch("http://127.0.0.1:" + variables.port)', hears: /fetch failed/ },
  "launch a browser": {
    code: 'await chromium.launch({ executablePath: "/usr/bin/chromium" })',
    hears: /chromium\.launch is refused/,
  },
  "make a context": { code: "await browser.newContext()", hears: /newContext is refused/ },
  "make a context over CDP": {
    code: 'await root.send("Target.createBrowserContext")',
    hears: /Target.createBrowserContext is refused/,
  },
  "end the browser over CDP": { code: 'await root.send("Browser.close")', hears: /Browser.close is refused/ },
  "override the user agent": {
    code: 'await cdp.send("Network.setUserAgentOverride", { userAgent: "x" })',
    hears: /setUserAgentOverride is refused/,
  },
  "resize the tab": {
    code: "await page.setViewportSize({ width: 300, height: 300 })",
    hears: /is refused: the profile's own values/,
  },
  "open a file: page": { code: 'await page.goto("file:///etc/hostname")', hears: /Page.navigate is refused/ },
  "open a chrome: page": { code: 'await page.goto("chrome://version")', hears: /Page.navigate is refused/ },
  "open the debugging port": { code: 'await page.goto(cdpUrl + "/json/version")', hears: /debugging port/ },
};

const script = `
import { chromium } from "playwright-core";
export default async function run({ page, browser, cdpUrl, variables, output }) {
  const connect = (target) => new Promise((resolve, reject) => {
    const Socket = Object.getPrototypeOf(process.stdout).constructor;
    new Socket().on("error", reject).connect(target, resolve);
  });
  await page.goto(variables.site);
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
let outcome: RunProfileOutcome;
let heard = 0;
let port = "";
let mark = "";
const listeners: net.Server[] = [];

async function listen(where: string | number): Promise<net.Server> {
  const server = net.createServer((client) => {
    heard += 1;
    client.destroy();
  });
  server.listen(where);
  await once(server, "listening");
  listeners.push(server);
  return server;
}

before(async () => {
  bench = await openScriptBench();
  mark = path.join(bench.root, "mark.png");
  const socket = path.join(bench.root, "socket");
  await listen(socket);
  const address = (await listen(0)).address();
  port = typeof address === "object" && address !== null ? String(address.port) : "";
  outcome = await bench.run(script, {
    variables: { site: bench.site, mark, port, socket, owner: String(process.pid) },
  });
});
after(async () => {
  for (const server of listeners) server.close();
  await bench.close();
});

describe("a hostile script cannot", () => {
  for (const [name, { hears }] of Object.entries(attempts))
    it(name, () => {
      const row = outcome.output.find((one) => one.name === name);
      assert.ok(row !== undefined, outcome.error ?? "no answer");
      assert.match(String(row.denied ?? `it got ${row.got}`), hears);
    });

  it("reach a listener, or write a file, unseen", async () => {
    assert.equal(heard, 0);
    await assert.rejects(stat(mark));
  });

  it("import a built-in module at the top", async () => {
    const { error } = await bench.run('import fs from "node:fs"; export default async () => fs;');
    assert.match(error ?? "", /import of "node:fs" is refused/);
  });

  it("see the environment", async () => {
    const { result } = await bench.run("export default async () => Object.keys(process.env);");
    const names = Array.isArray(result) ? result : ["none"];
    assert.deepEqual(
      names.filter((name) => !["TMPDIR", "TZ", "LANG"].includes(String(name))),
      [],
    );
  });
});

describe("the confined process, with every module of Node in hand,", () => {
  let isolation: Isolation;
  let answers: Record<string, string | null> = {};

  before(async () => {
    isolation = await probeIsolation();
    const workspace = await createWorkspace(path.join(bench.root, "tmp"));
    const intruder = fileURLToPath(new URL("./script-intruder.mjs", import.meta.url));
    const secret = path.join(bench.root, "secret.txt");
    const child = spawnConfined(isolation, workspace, { readable: [`${bench.uploadsDir}/*`], heapMb: 256 }, [
      intruder,
      ...[String(process.pid), port, mark, workspace.scratchDir, secret],
    ]);
    let text = "";
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
    });
    child.stderr?.resume();
    await once(child, "close");
    await removeWorkspace(workspace);
    answers = JSON.parse(text);
  });

  it("still writes to its scratch directory", () => {
    assert.equal(answers["write inside scratch"], null);
  });

  for (const name of [
    "read /etc/passwd",
    "read the owner's environment",
    "read beside the uploads",
    "write outside scratch",
    "link out of scratch",
    "start a process",
    "start a worker",
    "open the inspector",
    "load a native module",
    "use an internal binding",
  ])
    it(`may not ${name}`, () => {
      assert.match(answers[name] ?? "it did", /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED/);
    });

  for (const [name, code] of [
    ["connect over TCP", /ENETUNREACH/],
    ["send over UDP", /ENETUNREACH/],
    ["signal the owner", /ESRCH/],
  ] as const)
    it(`finds nobody to ${name}, where there are namespaces`, (t) => {
      // Without namespaces only the lock inside the script's runner stands, which the suite above tests.
      if (isolation.level === "lock") t.diagnostic(isolation.summary);
      else assert.match(answers[name] ?? "it did", code);
    });
});
