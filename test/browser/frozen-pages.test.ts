/** Pages that nobody uses are frozen, and awake again for the next use (protocol/README.md, "Frozen pages"). */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { ManualClock } from "../../actors/kernel/clock.ts";
import type { Launched } from "../../protocol/profile-spec.ts";
import { ownServer } from "./fixture/own-server.ts";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";

const html = `<!doctype html><title>Spinner</title><p id="p">0</p><button onclick="this.textContent='pressed'">Press</button>
<style>@keyframes turn { to { transform: rotate(1turn) } } p { animation: turn 1s linear infinite; width: 20px }</style>
<script>
  setInterval(() => { p.textContent++ }, 50);
  const say = (word) => navigator.sendBeacon("/said/" + word);
  document.addEventListener("visibilitychange", () => say(document.visibilityState));
  for (const word of ["freeze", "resume"]) document.addEventListener(word, () => say(word));
</script>`;

/** What the page has said, and who waits for the next word. */
let said: string[] = [];
let heard = () => {};
/** More than Chromium keeps for a frozen page that it goes on loading. */
const streamBytes = 4 * 2 ** 20;
let stream: ServerResponse | null = null;
const server = ownServer((request, response) => {
  const [, word] = /^\/said\/(\w+)/.exec(request.url ?? "") ?? [];
  if (word !== undefined) {
    said.push(word);
    heard();
  }
  if (request.url === "/stream") {
    stream = response;
    return void response.flushHeaders();
  }
  response.writeHead(200, { "content-type": "text/html" }).end(word === undefined ? html : "");
});
const sockets = new WebSocketServer({ server: server.server });
after(() => {
  for (const socket of sockets.clients) socket.terminate();
});

async function hears(...words: string[]): Promise<void> {
  while (!words.every((word) => said.includes(word)))
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
  said = [];
}

const clock = new ManualClock();
let dir: string;
let profile: TestProfile;
let launched: Launched;
before(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir, { clock });
  launched = await profile.open({ freezeAfterSecs: 60 });
  await profile.page.navigate({ url: server.origin });
});
after(async () => {
  await profile.control.stop({});
  await removeDir(dir);
});

const untilFrozen = async () => {
  await clock.advance(60_000);
  await hears("hidden", "freeze");
};

test("when memory is short, unused pages are frozen at once, and those that are frozen stay so", async () => {
  await profile.control.freezePages({});
  await hears("hidden", "freeze");
  await profile.control.freezePages({});
  await profile.page.evaluate({ expression: "1" });
  await hears("resume", "visible");
});

test("unused pages are frozen, go on for half a second in 20, and are awake for the next call", async () => {
  await untilFrozen();
  await clock.advance(20_000);
  await hears("resume");
  await clock.advance(500);
  await hears("freeze");
  const { node_id } = await profile.page.waitForElement({ selector: "button" });
  await profile.page.click({ node_id });
  const expression = "[document.visibilityState, document.querySelector('button').textContent]";
  assert.deepEqual((await profile.page.evaluate({ expression })).result, ["visible", "pressed"]);
  await hears("resume", "visible");
});

test("a look at the page wakes it", async () => {
  await untilFrozen();
  const { picture } = await profile.page.picture({ after: 0 });
  assert.ok((picture?.jpeg.length ?? 0) > 0);
  await hears("resume", "visible");
});

test("a frozen page keeps its size, its socket and what it loads", async () => {
  const expression = `
    sizes = []; addEventListener("resize", () => sizes.push(innerWidth + "x" + innerHeight + " in " + outerWidth + "x" + outerHeight));
    loaded = fetch("/stream").then((answer) => answer.text());
    socket = new WebSocket(location.origin.replace("http", "ws"));
    new Promise((resolve) => { socket.onopen = resolve; })`;
  await profile.page.evaluate({ expression });
  const before = (await profile.page.evaluate({ expression: "[outerWidth, innerWidth]" })).result;
  await untilFrozen();
  stream?.write("x".repeat(streamBytes));
  await clock.advance(20_000);
  await hears("resume");
  await clock.advance(500);
  await hears("freeze");
  stream?.end("after");
  const ended = {
    expression: "loaded.then((text) => [text.length, sizes, socket.readyState, outerWidth, innerWidth])",
  };
  assert.deepEqual((await profile.page.evaluate(ended)).result, [
    streamBytes + "after".length,
    [],
    WebSocket.OPEN,
    ...(before as number[]),
  ]);
  said = [];
});

test("an attached client wakes the pages and keeps them awake until it leaves", async () => {
  await untilFrozen();
  const { webSocketDebuggerUrl } = (await (await fetch(`${launched.cdpUrl}/json/version`)).json()) as {
    webSocketDebuggerUrl: string;
  };
  const client = new WebSocket(webSocketDebuggerUrl);
  await hears("resume", "visible");
  await clock.advance(600_000);
  assert.deepEqual(said, []);
  client.close();
  await once(client, "close");
  await profile.page.evaluate({ expression: "1" });
  await untilFrozen();
});

test("a frozen profile stops in order", async () => {
  await profile.control.stop({});
  await profile.exited;
  assert.deepEqual(profile.notices.at(-1), {
    notice: "browser-ended",
    status: "stopped",
    reason: "it was stopped",
  });
});
