/** Suite `identity`: the cost of showing another device, for a launch and for a page with many frames and workers. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenBrowser, openBrowser } from "../actors/profile/open-browser.ts";
import { findChromium } from "../gateway/machine.ts";
import type { Fingerprint } from "../protocol/fingerprint.ts";
import { announce, median, report, samplesTable } from "./table.ts";
import { type Kind, takeTurns } from "./taking-turns.ts";

const launchRounds = 10;
const pageRounds = 64; // Fewer rounds differ by several percent between runs.
const crowdSize = 20;

const plain = "the host's own device";
const linux = "a linux device";
const windows = "a windows device";
/** With a client attached, first requests of new tabs are intercepted. Shown for comparison, without a limit. */
const attended = "a linux device, a client attached";

const screen = {
  width: 1920,
  height: 1080,
  devicePixelRatio: 1,
  colorDepth: 24,
  insetTop: 0,
  insetBottom: 40,
} as const;
const device: Fingerprint = {
  screen,
  hardwareConcurrency: 8,
  gpu: null,
  architecture: "x86",
  bitness: "64",
  platformVersion: "",
};
const foreign: Fingerprint = {
  ...device,
  gpu: {
    vendor: "Google Inc. (Intel)",
    renderer: "ANGLE (Intel, Intel(R) UHD Graphics 630 (0x00003E9B) Direct3D11 vs_5_0 ps_5_0, D3D11)",
  },
  platformVersion: "15.0.0",
};

export async function runIdentitySuite(): Promise<void> {
  const conditions = announce("identity", `${launchRounds} launches and ${pageRounds} pages of each kind`);
  const dir = await mkdtemp(join(tmpdir(), "troupe-bench-identity-"));
  const crowd = await serveCrowd();
  try {
    const open = (fingerprint: Fingerprint | null) => openIn(dir, fingerprint);
    const launches = await takeTurns(
      [
        launchKind(plain, () => open(null)),
        launchKind(linux, () => open(device)),
        launchKind(windows, () => open(foreign)),
      ],
      launchRounds,
    );
    const browsers = [await open(null), await open(device), await open(foreign), await open(device)];
    await browsers[3]?.connection.openClient({ message: () => {}, gone: () => {} });
    const loads = [plain, linux, windows, attended].map((name, at) =>
      loadKind(name, browsers[at], crowd.url),
    );
    const pages = await takeTurns(loads, pageRounds);
    await Promise.all(browsers.map((browser) => browser.close()));
    const ratio = (samples: Map<string, number[]>, of: string) =>
      median(samples.get(of) ?? []) / median(samples.get(plain) ?? []);
    report(
      "identity",
      `launch until the first page has its values\n${samplesTable(launches, plain, 1)}\n\npage with ${crowdSize} frames of another site and ${crowdSize} workers\n${samplesTable(pages, plain, 1)}\n`,
      [
        { what: "launch with a linux device over without", figure: ratio(launches, linux), limit: 1.15 },
        { what: "launch with a windows device over without", figure: ratio(launches, windows), limit: 1.15 },
        { what: "crowded page with a linux device over without", figure: ratio(pages, linux), limit: 1.12 },
        {
          what: "crowded page with a windows device over without",
          figure: ratio(pages, windows),
          limit: 1.12,
        },
      ],
      { ...conditions, launches: Object.fromEntries(launches), pages: Object.fromEntries(pages) },
    );
  } finally {
    await crowd.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function openIn(dir: string, fingerprint: Fingerprint | null): Promise<OpenBrowser> {
  const userDataDir = await mkdtemp(join(dir, "profile-"));
  return openBrowser({
    spec: {
      profileId: "7f0d2f4e-52f0-4b3c-9a37-0c8d5a2a9b11",
      name: "Bench",
      os: fingerprint?.gpu ? "windows" : "linux",
      fingerprint,
      languages: ["de-DE", "de"],
      timezone: "Europe/Berlin",
      proxy: null,
      userDataDir,
      uploadsDir: dir,
    },
    options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
    engine: {
      chromiumPath: findChromium(),
      tempDir: join(dir, "temp"),
      hasDisplay: false,
      launchesAtOnce: 1,
    },
    onSpawned: () => {},
    signal: new AbortController().signal,
  });
}

function launchKind(name: string, open: () => Promise<OpenBrowser>): Kind {
  let browser: OpenBrowser | null = null;
  return {
    name,
    async run() {
      browser = await open();
      const tab = await browser.tabs.current();
      await tab.session.send("Runtime.evaluate", { expression: "1 + 1" });
    },
    after: async () => browser?.close(),
  };
}

function loadKind(name: string, browser: OpenBrowser | undefined, url: string): Kind {
  return {
    name,
    async run() {
      const tab = await browser?.tabs.current();
      await tab?.session.send("Page.navigate", { url });
      // Wait until every frame and worker has reported. The page's script may not have started.
      await tab?.session.send("Runtime.evaluate", {
        expression:
          "new Promise((done) => { const look = () => globalThis.allThere?.then(done) ?? setTimeout(look, 1); look(); })",
        awaitPromise: true,
      });
    },
  };
}

async function serveCrowd(): Promise<{ url: string; close(): Promise<void> }> {
  const pages: Record<string, [type: string, text: string]> = {
    "/": [
      "text/html",
      `<!doctype html><title>crowd</title><body><script>
        var allThere = new Promise((resolve) => {
          let there = 0;
          const one = () => { there += 1; if (there === ${2 * crowdSize}) resolve(there); };
          onmessage = one;
          for (let n = 0; n < ${crowdSize}; n++) {
            document.body.appendChild(document.createElement("iframe")).src = location.origin.replace("127.0.0.1", "localhost") + "/frame?" + n;
            new Worker("/worker.js?" + n).onmessage = one;
          }
        });
      </script>`,
    ],
    "/frame": ["text/html", `<!doctype html><script>parent.postMessage(navigator.userAgent, "*")</script>`],
    "/worker.js": ["text/javascript", "postMessage(navigator.userAgent)"],
  };
  const server = createServer((request, response) => {
    const page = pages[(request.url ?? "").split("?")[0] ?? ""];
    if (page !== undefined) response.setHeader("content-type", page[0]);
    response.end(page?.[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // TCP servers have no other kind of address.
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
