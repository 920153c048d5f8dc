/** In every realm of a profile's browser, every attribute is the profile's, and all request headers agree, over several launches. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openRawCdp } from "../../bench/raw-cdp.ts";
import type { Launched } from "../../protocol/profile-spec.ts";
import { until } from "../gateway/serve.ts";
import {
  expectedHeaders,
  expectedOf,
  type Host,
  linuxDevice,
  macDevice,
  type TestDevice,
  windowsDevice,
} from "./fixture/identity-devices.ts";
import {
  clientsTabs,
  type IdentitySite,
  loadRealms,
  openIdentitySite,
  popupRealms,
} from "./fixture/identity-site.ts";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";

const withClients = 2;
let dir = "";
let host: Host;
before(async () => {
  dir = await makeDir();
  host = await readHost();
});
after(() => removeDir(dir));

function attributesOf(realm: string): ReadonlySet<string> {
  if (realm === "data") return new Set([...everywhere, ...ofWindows]); // A window without a secure context.
  if (/^(worker|shared|service)/.test(realm)) return new Set([...everywhere, ...ofSecureContexts]);
  return new Set([...everywhere, ...ofWindows, ...ofSecureContexts, "cpuPerformance"]);
}

const everywhere =
  "userAgent appVersion platform hardwareConcurrency language languages locale timeZone offset webgl webgl2".split(
    " ",
  );
const ofWindows = ["webdriver", "screen", "devicePixelRatio", "pointer"];
const ofSecureContexts = ["deviceMemory", "hints", "lowHints"];

async function wrongIn(site: IdentitySite, realms: readonly string[], device: TestDevice) {
  const expected = expectedOf(device, host);
  const told = await site.seen(realms);
  const wrong: string[] = [];
  let cells = 0;
  for (const realm of realms) {
    const has = attributesOf(realm);
    const seen = told.get(realm) ?? {};
    for (const name of new Set([...Object.keys(expected), ...Object.keys(seen)])) {
      cells += 1;
      const right = has.has(name) ? expected[name] : undefined;
      if (JSON.stringify(sorted(seen[name])) === JSON.stringify(sorted(right))) continue;
      wrong.push(`${realm}.${name} is ${JSON.stringify(seen[name])}, not ${JSON.stringify(right)}`);
    }
  }
  const headers = expectedHeaders(device, host, expected);
  let values = 0;
  for (const request of site.requests) {
    for (const [name, right] of Object.entries(headers)) {
      const given = request.headers[name];
      if (given === undefined && name !== "user-agent" && name !== "accept-language") continue;
      values += 1;
      if (given !== right) wrong.push(`${request.what}: ${name} is ${given}, not ${right}`);
    }
  }
  return { wrong, cells, values };
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function visit(
  site: IdentitySite,
  profile: TestProfile,
  { cdpUrl }: Launched,
  launch: number,
): Promise<string[]> {
  site.begin();
  await profile.page.navigate({ url: `${site.origin}/` });
  await site.seen(loadRealms);
  for (const popup of popupRealms) {
    const { node_id } = await profile.page.waitForElement({
      selector: `#${popup}`,
      timeout_ms: 5_000,
    });
    await profile.page.click({ node_id });
    await site.seen([popup]);
    await closeOthers(cdpUrl, site.origin);
  }
  const raw = await openRawCdp(cdpUrl);
  if (launch === 1) {
    const [created, asked] = clientsTabs.map((realm) => `${site.origin}/popup?${realm}`);
    await raw.send("Target.createTarget", { url: created });
    await fetch(`${cdpUrl}/json/new?${asked}`, { method: "PUT" });
    await site.seen(clientsTabs);
    await closeOthers(cdpUrl, site.origin);
  }
  const workers = [{ worker: "service", page: "controlled", at: "/controlled" }];
  if (launch === withClients) {
    await profile.page.evaluate({ expression: `(${installed})("/service.js?service-own", "/own/")` });
    workers.push({ worker: "service-own", page: "controlled-own", at: "/own/controlled" });
  }
  await site.seen(workers.map(({ worker }) => worker));
  await raw.send("ServiceWorker.enable", {});
  await raw.send("ServiceWorker.stopAllWorkers", {});
  raw.close();
  for (const { page, at } of workers) await profile.page.navigate({ url: `${site.origin}${at}?${page}` });
  const restarted = workers.flatMap(({ worker, page }) => [worker, page, `${worker}-restarted`]);
  return [...loadRealms, ...popupRealms, ...(launch === 1 ? clientsTabs : []), ...restarted];
}

const installed = `async (script, scope) => {
  const { installing, active } = await navigator.serviceWorker.register(script, { scope });
  const worker = active ?? installing;
  while (worker.state !== "activated")
    await new Promise((done) => worker.addEventListener("statechange", done, { once: true }));
}`;

type Target = { id: string; type: string; url: string };

async function targets(cdpUrl: string): Promise<Target[]> {
  return (await (await fetch(`${cdpUrl}/json/list`)).json()) as Target[];
}

async function closeOthers(cdpUrl: string, origin: string): Promise<void> {
  await until("the other tabs are closed", async () => {
    const list = await targets(cdpUrl);
    const others = list.filter(({ type, url }) => type === "page" && url !== `${origin}/`);
    await Promise.all(others.map(({ id }) => fetch(`${cdpUrl}/json/close/${id}`)));
    return others.length === 0;
  });
}

/** The values of the machine's own browser, which a profile does not change. */
async function readHost(): Promise<Host> {
  const profile = createTestProfile(join(dir, "host"));
  await profile.open();
  const site = await openIdentitySite();
  try {
    await profile.page.navigate({ url: `${site.origin}/frame?host` });
    const { hints, deviceMemory, webgl, webgl2 } = (await site.seen(["host"])).get("host") ?? {};
    const { uaFullVersion, brands, fullVersionList } = hints as { uaFullVersion: string } & Pick<
      Host,
      "brands" | "fullVersionList"
    >;
    return {
      version: uaFullVersion,
      brands,
      fullVersionList,
      deviceMemory: Number(deviceMemory),
      webgl,
      webgl2,
    };
  } finally {
    await profile.control.stop({});
    await site.close();
  }
}

async function launchAndVisit(site: IdentitySite, device: TestDevice, launch: number) {
  const profile = createTestProfile(join(dir, device.os));
  const launched = await profile.open({}, device);
  try {
    if (launch !== withClients)
      return await wrongIn(site, await visit(site, profile, launched, launch), device);
    const others = fork(new URL("./fixture/identity-clients.mjs", import.meta.url), { execArgv: [] });
    const told = async (message: object) => {
      others.send(message);
      await once(others, "message");
    };
    await told({ cdpUrl: launched.cdpUrl, origin: site.origin });
    const realms = await visit(site, profile, launched, launch);
    await told({ what: "open" });
    const result = await wrongIn(site, [...realms, "playwright", "puppeteer"], device);
    await told({ what: "detach" });
    others.disconnect();
    return result;
  } finally {
    await profile.control.stop({});
  }
}

describe("identity rig", { concurrency: 2 }, () => {
  for (const device of [windowsDevice, macDevice, linuxDevice]) {
    test(`${device.os}: every attribute and header, over three launches, the second with clients attached`, async (t) => {
      const site = await openIdentitySite(); // The same port in all launches, because service workers persist.
      try {
        for (const launch of [1, withClients, 3]) {
          const { wrong, cells, values } = await launchAndVisit(site, device, launch);
          t.diagnostic(`${cells - wrong.length}/${cells} cells, ${values} header values`);
          assert.deepEqual(wrong, []);
        }
      } finally {
        await site.close();
      }
    });
  }
});
