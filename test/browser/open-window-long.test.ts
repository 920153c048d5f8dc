/** The control page's window of `npm start` and `troupe open`: a real Chromium, never two, and gone with the service. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { followLink } from "../gateway/follow-link.ts";
import { processesNaming, type Served, serve, troupe, until } from "../gateway/serve.ts";
import { type Display, openDisplay } from "./fixture/display.ts";

let dir: string;
let dataDir: string;
let display: Display;
let served: Served;
const outside = { ...process.env };
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-window-"));
  dataDir = join(dir, "data");
  display = await openDisplay(dir);
  Object.assign(process.env, display.env);
  served = await serve(dataDir, "--window");
});
after(async () => {
  await served.end("SIGKILL");
  await display.close();
  for (const name of Object.keys(display.env)) {
    if (outside[name] === undefined) delete process.env[name];
    else process.env[name] = outside[name];
  }
  await rm(dir, { recursive: true, force: true });
});

const windowDir = () => join(dataDir, "control-page");

const mainProcesses = () =>
  processesNaming(`--user-data-dir=${windowDir()}`).filter(
    (pid) => !readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--type="),
  );

async function attach(): Promise<Browser> {
  let port = "";
  await until("the window's browser", async () => {
    port =
      (await readFile(join(windowDir(), "DevToolsActivePort"), "utf8").catch(() => "")).split("\n")[0] ?? "";
    return port !== "";
  });
  return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
}

const pagesOf = (browser: Browser): Page[] => browser.contexts().flatMap((context) => context.pages());

async function shownPage(browser: Browser): Promise<Page> {
  await until("a window", () => pagesOf(browser).length > 0);
  const [page, ...others] = pagesOf(browser);
  assert.ok(page);
  assert.equal(others.length, 0);
  await page.getByRole("heading", { level: 1, name: "Profiles" }).waitFor();
  return page;
}

const open = async (...flags: string[]) => {
  const { code, stdout, stderr } = await troupe("open", "--json", "--data", dataDir, ...flags);
  assert.equal(code, 0, stderr);
  const opened: { url: string; opened: boolean } = JSON.parse(stdout);
  return opened;
};

test("the service opens its own window on the page, and the printed links stay unused", async () => {
  const browser = await attach();
  const page = await shownPage(browser);
  const [line = "", ...more] = await display.starts();
  assert.equal(more.length, 0);
  assert.match(line, /--app=http:\/\/127\.0\.0\.1:\d+\/#key=/);
  assert.ok(line.includes(`--user-data-dir=${windowDir()}`));
  assert.equal(await page.evaluate("matchMedia('(display-mode: standalone)').matches"), true, "no tab strip");
  const { url } = await open("--no-window");
  assert.equal((await followLink(url)).statusCode, 200);
  await browser.close();
});

test("a second request brings the same window to the front", async () => {
  assert.equal((await open()).opened, true);
  assert.equal((await display.starts()).length, 1);
  const browser = await attach();
  await shownPage(browser);
  await browser.close();
});

test("a window that the user closed is opened again, and the service keeps running", async () => {
  const browser = await attach();
  const page = await shownPage(browser);
  await page.close();
  // On some systems a browser exits with its last window.
  await rm(join(windowDir(), "DevToolsActivePort"), { force: true });
  assert.equal((await open()).opened, true);
  assert.equal((await display.starts()).length, 2);
  const again = await attach();
  await shownPage(again);
  await again.close();
});

test("a window whose browser hangs is ended and opened again", async () => {
  await rm(join(windowDir(), "DevToolsActivePort"), { force: true });
  const [hung, ...others] = mainProcesses();
  assert.ok(hung !== undefined);
  assert.equal(others.length, 0);
  process.kill(hung, "SIGSTOP");
  const before = (await display.starts()).length;
  assert.equal((await open()).opened, true);
  assert.equal((await display.starts()).length, before + 1);
  assert.ok(!mainProcesses().includes(hung));
  const again = await attach();
  await shownPage(again);
  await again.close();
});

test("the window ends with the service, also when the service is killed", async () => {
  const { code, stderr } = await served.end("SIGTERM");
  assert.equal(code, 0, stderr);
  assert.deepEqual(processesNaming(windowDir()), []);
  await rm(join(windowDir(), "DevToolsActivePort"), { force: true });
  served = await serve(dataDir, "--window");
  const browser = await attach();
  await shownPage(browser);
  await served.end("SIGKILL");
  await until("the window's browser has exited", () => processesNaming(windowDir()).length === 0);
});
