/** Icon requests of documents that are already gone carry the profile's hints. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { windowsDevice } from "./fixture/identity-devices.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

let dir = "";
before(async () => {
  dir = await makeDir();
});
after(() => removeDir(dir));

/** Enough to show a rare wrong request. */
const documents = 60;
/** Only each browser's first document can show the fault. */
const browsers = 8;

/** Documents with an icon each, which run `next(n)` when loaded; the browser requests `/ended` last. */
async function serveIcons(next: (n: number) => string) {
  const icons: string[] = [];
  let tellEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    tellEnd = resolve;
  });
  const server = createServer((request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    response.setHeader("accept-ch", "sec-ch-ua-arch, sec-ch-ua-platform-version");
    if (path === "/icon") {
      const { headers } = request;
      icons.push(
        ["platform", "platform-version", "arch"].map((name) => headers[`sec-ch-ua-${name}`]).join(" "),
      );
    }
    if (path === "/ended") tellEnd();
    if (path !== "/document") return response.end();
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><link rel="icon" href="/icon?${query}"><script>onload = () => setTimeout(() => {${next(Number(query))}}, ${Number(query) % 4})</script>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    icons,
    ended,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const right = '"Windows" "15.0.0" "x86"';

function allRight(icons: readonly string[]): void {
  assert.ok(icons.length > 0, "icons must be requested");
  assert.deepEqual(
    icons.filter((hints) => hints !== right),
    [],
  );
}

test("a page that navigates as soon as it has loaded requests its icon with the profile's hints", async () => {
  const site = await serveIcons(
    (n) => `location.href = ${n < documents ? `"/document?${n + 1}"` : `"/ended"`}`,
  );
  const browser = await openTestBrowser(join(dir, "going-on"), windowsDevice);
  try {
    const { session } = await browser.tabs.current();
    await session.send("Page.navigate", { url: `${site.origin}/document?1` });
    await site.ended;
    await browser.close();
    allRight(site.icons);
  } finally {
    await browser.discard();
    site.close();
  }
});

test("a browser's first page that goes to an empty page as soon as it has loaded requests its icon with the profile's hints", async () => {
  const site = await serveIcons(() => `location.href = "about:blank"`);
  const opened: OpenBrowser[] = [];
  try {
    // On busy cores a page may leave before its icon is requested.
    for (let n = 1; n <= browsers || (site.icons.length === 0 && n <= 4 * browsers); n++) {
      const browser = await openTestBrowser(join(dir, `leaving-${n}`), windowsDevice);
      opened.push(browser);
      const { session } = await browser.tabs.current();
      const seen: string[] = [];
      session.on("Page.frameNavigated", ({ frame }) => seen.push(frame.url));
      const onceThere = (url: string, event: "Page.frameNavigated" | "Page.loadEventFired") =>
        new Promise<void>((resolve) => {
          session.on(event, () => {
            if (seen.length > 1 && seen.at(-1) === url) resolve();
          });
        });
      const left = onceThere("about:blank", "Page.frameNavigated");
      await session.send("Page.navigate", { url: `${site.origin}/document?${n}` });
      await left;
      // A closed tab may not have requested its icon yet; the next document gives it time.
      const next = onceThere(`${site.origin}/next`, "Page.loadEventFired");
      await session.send("Page.navigate", { url: `${site.origin}/next` });
      await next;
    }
    for (const browser of opened) await browser.close();
    allRight(site.icons);
  } finally {
    for (const browser of opened) await browser.discard();
    site.close();
  }
});

test("a tab that closes itself as soon as it has loaded requests its icon with the profile's hints", async () => {
  const site = await serveIcons((n) => (n === 0 ? "" : "close()"));
  const browser = await openTestBrowser(join(dir, "closing"), windowsDevice);
  try {
    const { session } = await browser.tabs.current();
    const { root } = browser.connection;
    await session.send("Page.navigate", { url: `${site.origin}/document?0` });
    for (let n = 1; n <= documents / 2; n++) {
      const gone = new Promise((resolve) => {
        const off = root.on("Target.detachedFromTarget", (event) => {
          off();
          resolve(event);
        });
      });
      const expression = `window.open("/document?${n}"); 0`;
      await session.send("Runtime.evaluate", { expression, userGesture: true });
      await gone;
    }
    await browser.close();
    allRight(site.icons);
  } finally {
    await browser.discard();
    site.close();
  }
});
