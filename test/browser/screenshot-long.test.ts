/** Pictures of a real page: over REST, over MCP, and by the command line into a file. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { command, inTerminal } from "../gateway/in-process.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { openSite, type Site } from "./fixture/site.ts";

const red = [255, 0, 0];
const lime = [0, 255, 0];
const page = `data:text/html,<title>Drawn</title><body style="margin:0;background:lime">
<div id="far" style="position:absolute;left:40px;top:3000px;width:120px;height:50px;background:red"></div>
<div id="none" style="display:none">none</div><div style="height:4000px"></div>`;

let app: TestService;
let site: Site;
let path: string;
let id: string;
before(async () => {
  site = await openSite();
  app = await startTestService();
  // A device of one pixel per CSS pixel, in which the tests count.
  for (let ratio = 0; ratio !== 1; ratio = await value<number>("devicePixelRatio")) {
    if (ratio !== 0) await app.client.post(`${path}/stop`);
    [id = ""] = await createProfiles(app.client, 1);
    path = `/v1/profiles/${id}`;
    assert.equal((await app.client.post(`${path}/launch`, { headless: true })).status, 200);
  }
});
after(async () => {
  await app.stop();
  await site.close();
});

async function verb<Body>(name: string, body: object): Promise<Body> {
  const reply = await app.client.post(`${path}/${name}`, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Body;
}
const visit = (url: string) => verb("navigate", { url });
const value = async <T>(expression: string) => (await verb<{ result: T }>("evaluate", { expression })).result;
const idOf = async (selector: string) =>
  (await verb<{ node_id: number }>("wait-for-element", { selector })).node_id;

interface Picture {
  type: string;
  bytes: Buffer;
  width: number;
  height: number;
  /** At a quarter, the half and three quarters of the way from the first pixel to the last, left of any scroll bar. */
  colours: number[][];
}

/** Reads a picture in the browser, which knows every format. */
async function read(bytes: Buffer, type: string): Promise<Picture> {
  const seen = await value<Pick<Picture, "width" | "height" | "colours">>(`(async () => {
    const image = new Image();
    image.src = "data:${type};base64,${bytes.toString("base64")}";
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const drawing = canvas.getContext("2d");
    drawing.drawImage(image, 0, 0);
    const at = (x, y) => [...drawing.getImageData(x, y, 1, 1).data].slice(0, 3);
    return { width, height, colours: [1, 2, 3].map((part) => at((width * part) >> 2, (height * part) >> 2)) };
  })()`);
  return { type, bytes, ...seen };
}

async function picture(query = ""): Promise<Picture> {
  const { status, headers, body } = await app.client.get(`${path}/screenshot${query}`);
  assert.ok(status === 200 && Buffer.isBuffer(body), JSON.stringify(body));
  return read(body, String(headers["content-type"]));
}

async function refusal(query: string): Promise<[number, string]> {
  const { status, body } = await app.client.get(`${path}/screenshot${query}`);
  return [status, (body as { error: string }).error];
}

test("a screenshot is a png of what the tab shows", async () => {
  await visit(page);
  const [width, height] = await value<number[]>("[innerWidth, innerHeight]");
  const taken = await picture();
  assert.deepEqual([taken.type, taken.width, taken.height], ["image/png", width, height]);
  assert.deepEqual(taken.colours, [lime, lime, lime]);
});

test("full_page shows the page down to its end, and leaves it where it was", async () => {
  await visit(page);
  const size = await value<number[]>("scrollTo(0, 1000), [document.body.clientWidth, 4000]");
  const taken = await picture("?full_page=true");
  assert.deepEqual([taken.width, taken.height], size);
  assert.equal(await value("scrollY"), 1000);
});

test("node_id shows only the element, wherever it is in the page", async () => {
  await visit(page);
  const taken = await picture(`?node_id=${await idOf("#far")}`);
  assert.deepEqual([taken.width, taken.height], [120, 50]);
  assert.deepEqual(taken.colours, [red, red, red]);
});

test("node_id shows an element in a frame of another site", async () => {
  await visit(`${site.origin}/frames`);
  const { snapshot } = (await app.client.get(`${path}/snapshot`)).body as { snapshot: string };
  const far = snapshot.slice(snapshot.indexOf('iframe "far"'));
  const button = /button "Inner button" \[id=(\d+)\]/.exec(far)?.[1];
  const taken = await picture(`?node_id=${button}`);
  assert.ok(
    taken.width > 60 && taken.width < 150 && taken.height > 15 && taken.height < 40,
    `${taken.width} x ${taken.height}`,
  );
});

test("node_id shows what a box around the element shows of it", async () => {
  const clip = "width:60px;height:30px;margin:20px;border:5px solid black;overflow:hidden";
  const long = "width:200px;height:100px;background:red";
  await visit(`data:text/html,<body style="margin:0;background:lime">
    <div style="${clip}"><div id="flow" style="${long}"></div></div>
    <div style="${clip}"><div id="free" style="position:absolute;${long}"></div></div>
    <div style="${clip};height:0"><div id="gone" style="${long}"></div></div>`);
  const taken = await picture(`?node_id=${await idOf("#flow")}`);
  assert.deepEqual([taken.width, taken.height, taken.colours[2]], [60, 30, red]);
  const free = await picture(`?node_id=${await idOf("#free")}`);
  assert.deepEqual([free.width, free.height], [200, 100]);
  assert.match((await refusal(`?node_id=${await idOf("#gone")}`)).join(" "), /^409 .* lies outside the page/);
});

test("jpeg and webp take a quality, which makes them smaller", async () => {
  await visit(`${site.origin}/`);
  for (const format of ["jpeg", "webp"]) {
    const [low, high] = [
      await picture(`?format=${format}&quality=1`),
      await picture(`?format=${format}&quality=95`),
    ];
    assert.equal(low.type, `image/${format}`);
    assert.ok(
      low.bytes.length < high.bytes.length,
      `${format}: ${low.bytes.length} and ${high.bytes.length} bytes`,
    );
  }
});

test("max_width shrinks a wider picture and leaves a narrower one", async () => {
  await visit(page);
  const whole = await picture();
  const small = await picture("?max_width=300");
  assert.equal(small.width, 300);
  assert.deepEqual(small.colours, [lime, lime, lime]);
  assert.ok(Math.abs(small.height - (300 * whole.height) / whole.width) <= 1, `${small.height}`);
  assert.deepEqual((await picture("?max_width=10000")).width, whole.width);
  assert.equal((await picture(`?node_id=${await idOf("#far")}&max_width=60`)).width, 60);
});

test("a picture over 16,384 pixels a side is a conflict with its size, and fits with max_width", async () => {
  await visit("data:text/html,<body style='margin:0;height:30000px'>");
  const [status, error] = await refusal("?full_page=true");
  assert.equal(status, 409);
  assert.match(error, /^conflict: the picture would be \d+ x 30000 pixels, more than 16384 a side/);
  await visit("data:text/html,<body style='margin:0;height:8000px;width:8000px'>");
  assert.match((await refusal("?full_page=true")).join(" "), /^409 .*or 50 million in all; give a smaller/);
  const taken = await picture("?full_page=true&max_width=100");
  assert.equal(taken.width, 100);
});

test("what does not fit is refused and names the field", async () => {
  await visit(page);
  const refused: Record<string, RegExp> = {
    "?quality=50": /^invalid request: quality is for jpeg and webp/,
    "?format=png&quality=50": /quality/,
    "?format=jpeg&quality=101": /quality must be an integer from 0 to 100/,
    "?format=gif": /format must be one of png, jpeg, webp/,
    "?max_width=0": /max_width/,
    "?fullPage=true": /fullPage/,
    "?full_page=true&node_id=1": /node_id must be left out with full_page/,
  };
  for (const [query, message] of Object.entries(refused)) {
    const [status, error] = await refusal(query);
    assert.equal(status, 400, query);
    assert.match(error, message);
  }
});

test("an element that is unknown, hidden or gone is a conflict", async () => {
  await visit(page);
  assert.match((await refusal("?node_id=4000000")).join(" "), /^409 conflict: node_id 4000000 is unknown/);
  assert.match((await refusal(`?node_id=${await idOf("#none")}`)).join(" "), /^409 conflict: .* is hidden/);
  const far = await idOf("#far");
  await visit("data:text/html,other");
  assert.match((await refusal(`?node_id=${far}`)).join(" "), /^409 conflict: element \d+ is gone/);
});

test("a page that shows a dialog is taken behind it", async () => {
  await visit(page);
  await value("setTimeout(() => alert('wait'))");
  assert.deepEqual((await picture()).colours, [lime, lime, lime]);
});

test("over MCP a screenshot is an image block, and the page's title beside it is marked", async () => {
  await visit(page);
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const url = new URL("/mcp?profile=core", app.service.apiUrl ?? "");
  const headers = { authorization: `Bearer ${app.token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const result = await client.callTool({ name: "page_screenshot", arguments: { id } });
  const refused = await client.callTool({ name: "page_screenshot", arguments: { id, quality: 1 } });
  await value(`(() => {
    const noise = document.body.appendChild(Object.assign(document.createElement("canvas"), { width: 1200, height: 1200 }));
    const pixels = new ImageData(1200, 1200);
    for (let at = 0; at < pixels.data.length; at += 4) new DataView(pixels.data.buffer).setUint32(at, Math.random() * 2 ** 32);
    for (let at = 3; at < pixels.data.length; at += 4) pixels.data[at] = 255;
    noise.getContext("2d").putImageData(pixels, 0, 0);
  })()`);
  const large = await client.callTool({
    name: "page_screenshot",
    arguments: { id, node_id: await idOf("canvas") },
  });
  await client.close();
  const [image, text] = result.content;
  assert.ok(image?.type === "image" && text?.type === "text");
  assert.equal(image.mimeType, "image/png");
  assert.deepEqual((await read(Buffer.from(image.data, "base64"), "image/png")).colours, [lime, lime, lime]);
  assert.match(text.text, /^<page-content origin="null">\n\{.*"title":"Drawn"\}\n<\/page-content>$/);
  assert.equal(refused.isError, true);
  assert.match(
    JSON.stringify(large.content),
    /the picture is \d+ bytes, over MCP at most 3700000; give format/,
  );
});

test("troupe page screenshot writes a file, and to a terminal only with one", async () => {
  await visit(page);
  const file = join(app.dataDir, "page.jpeg");
  const flags = ["--data", app.dataDir, "--format", "jpeg"];
  const done = await command("page", "screenshot", id, ...flags, "-o", file);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  const bytes = await readFile(file);
  assert.equal(done.stdout, `${file}: image/jpeg, ${bytes.length} bytes\n`);
  assert.equal((await read(bytes, "image/jpeg")).type, "image/jpeg");
  const again = await command("page", "screenshot", id, ...flags, "-o", file);
  assert.deepEqual([again.code, await readFile(file)], [1, bytes]);
  assert.match(again.stderr, /page\.jpeg exists already; name a new file with -o/);
  const listed = await command("page", "screenshot", id, ...flags, "-o", `${file}.jpg`, "--json");
  assert.deepEqual(Object.keys(JSON.parse(listed.stdout)), ["file", "type", "bytes"]);
  const misnamed = await command("page", "screenshot", id, ...flags, "-o", `${file}.png`);
  assert.match(misnamed.stderr, /names image\/png, and the reply is image\/jpeg; give --format png/);
  const homeless = await command("page", "screenshot", id, ...flags, "-o", join(app.dataDir, "no", "a.jpeg"));
  assert.match(homeless.stderr, /the directory .*no does not exist; name another with -o/);
  await assert.rejects(readFile(`${file}.png`), /ENOENT/);

  assert.match((await command("page", "screenshot", id, ...flags)).stdout, /JFIF/);
  const nowhere = await command("page", "screenshot", id, ...flags, "--json");
  assert.deepEqual([nowhere.code, nowhere.stdout], [2, ""]);
  assert.match(nowhere.stderr, /--json needs -o FILE/);
  const terminal = await inTerminal("page", "screenshot", id, ...flags);
  assert.deepEqual([terminal.code, terminal.stdout], [2, ""]);
  assert.match(terminal.stderr, /the reply is bytes, which a terminal cannot show; give a file with -o FILE/);
});
