/** Does once with a library what scripts usually do, in a browser of its own, so that V8 compiles the code for it. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, Readable, Writable } from "node:stream";
import type { Page as PlaywrightPage } from "playwright-core";
import type { Page as PuppeteerPage } from "puppeteer-core";
import { groupGone, signalGroup, spawnLeader } from "../kernel/process-group.ts";
import type { LoadedLibrary } from "./attach.ts";
import type { Channel } from "./channel.ts";

const warmUpMs = 30_000;
/** Time for the browser to end, once after Browser.close and once after SIGKILL. */
const endMs = 5_000;

const form = `<!doctype html><title>Form</title><h1 id="head">Warm-up</h1>
<form action="/done"><label>Name <input name="name"></label><select name="kind"><option>a</option><option>b</option></select>
<input type="checkbox" aria-label="Agreed"><button>Send</button></form><ul><li>1</li><li>2</li></ul><a href="/done">On</a>`;
const done = `<!doctype html><title>Done</title><p id="text">Done</p><a href="/">Back</a>`;

/** Rejects with the reason when the browser does not start, or does not finish in time or before `cancelled`. */
export async function warmUp(
  library: LoadedLibrary,
  chromiumPath: string,
  cancelled: AbortSignal,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "troupe-warm-up-"));
  const site = createServer((request, response) => {
    response.setHeader("content-type", "text/html").end(request.url === "/" ? form : done);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const address = site.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
  const browser = startBrowser(chromiumPath, dir);
  const ended = new Promise<Error>((resolve) => {
    browser.once("error", resolve);
    browser.once("close", () => resolve(new Error(`${chromiumPath} ended`)));
  });
  const over = AbortSignal.any([cancelled, AbortSignal.timeout(warmUpMs)]);
  const channel = channelTo(browser.stdio);
  try {
    await Promise.race([
      perform(library, channel, url, dir),
      ended.then((error) => Promise.reject(error)),
      endOf(over).then(() => Promise.reject(new Error("it was cancelled, or took too long"))),
    ]);
  } finally {
    channel.end(); // A killed browser would leave the directory of its lock beside ours.
    await Promise.race([ended, once(AbortSignal.timeout(endMs), "abort")]);
    signalGroup(browser, "SIGKILL");
    await ended;
    // Its helper processes write to the directory until they end.
    const { pid = 0 } = browser;
    await groupGone({ pid, signal: (signal) => signalGroup(browser, signal) }, endMs);
    site.closeAllConnections();
    site.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function endOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

function startBrowser(chromiumPath: string, dir: string) {
  const switches = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${dir}`, "--no-first-run"];
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return spawnLeader(chromiumPath, [...switches, ...asRoot, "about:blank"], {
    env: { ...process.env, BREAKPAD_DUMP_LOCATION: join(dir, "Crash Reports") }, // The default is in the user's own browser data.
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
}

/** A channel as a runner has it, straight to the browser. */
function channelTo([, , , output, input]: readonly (Readable | Writable | null | undefined)[]) {
  if (!(output instanceof Writable) || !(input instanceof Readable || input instanceof Duplex))
    throw new Error("its browser has no pipes");
  output.on("error", () => {}); // The end of the browser reports the same.
  let hear = (_text: string): void => {};
  let held = "";
  input.setEncoding("utf8").on("data", (part: string) => {
    const messages = `${held}${part}`.split("\0");
    held = messages.pop() ?? "";
    for (const message of messages) hear(message);
  });
  const channel: Channel = {
    send: () => {},
    sendCdp: (text) => void output.write(`${text}\0`),
    onMessage: () => {},
    onCdp: (listener) => {
      hear = listener;
    },
  };
  return {
    ...channel,
    end() {
      hear = () => {};
      channel.sendCdp(JSON.stringify({ id: 1, method: "Browser.close" }));
    },
  };
}

async function perform(library: LoadedLibrary, channel: Channel, url: string, dir: string): Promise<void> {
  const { page } = await library.attach(channel, dir);
  if (library.library === "playwright") await asPlaywright(page as PlaywrightPage, url);
  else await asPuppeteer(page as PuppeteerPage, url);
}

async function asPuppeteer(page: PuppeteerPage, url: string): Promise<void> {
  await page.goto(url);
  await page.locator("::-p-aria(Name)").fill("somebody");
  await page.locator("input[name=name]").fill("somebody else");
  await page.type("input[name=name]", "!");
  await page.select("select", "b");
  await page.locator("input[type=checkbox]").click();
  await page.waitForSelector("li");
  await page.$$eval("li", (items) => items.length);
  await page.$eval("#head", (head) => head.textContent);
  await Promise.all([
    page.waitForNavigation(),
    page.locator('::-p-aria([name="Send"][role="button"])').click(),
  ]);
  await page.locator("#text").wait();
  await page.waitForFunction("document.title === 'Done'");
  const link = await page.$("a");
  await Promise.all([page.waitForNavigation(), link?.click()]);
  await page.hover("button");
  await page.keyboard.press("Tab");
  await page.evaluate("({ title: document.title })");
  await page.title();
  await page.content();
  await page.screenshot();
}

async function asPlaywright(page: PlaywrightPage, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Name").fill("somebody");
  await page.fill("input[name=name]", "somebody else");
  await page.locator("input[name=name]").pressSequentially("!");
  await page.selectOption("select", "b");
  await page.getByLabel("Agreed").check();
  await page.waitForSelector("li");
  await page.locator("li").count();
  await page.locator("li").allTextContents();
  await page.textContent("#head");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForURL(/done/);
  await page.locator("#text").waitFor();
  await page.getByText("Back").click();
  await page.waitForLoadState();
  await page.hover("button");
  await page.keyboard.press("Tab");
  await page.evaluate("({ title: document.title })");
  await page.title();
  await page.content();
  await page.screenshot();
}
