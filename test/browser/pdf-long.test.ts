/** The page as a PDF: over REST, over MCP, and by the command line into a file. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { command } from "../gateway/in-process.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

const printed = `data:text/html,<title>Printed</title><body><h1>Page one</h1><p style="break-before:page">Page two</p>`;

let app: TestService;
let path: string;
let id: string;
before(async () => {
  app = await startTestService();
  [id = ""] = await createProfiles(app.client, 1);
  path = `/v1/profiles/${id}`;
  assert.equal((await app.client.post(`${path}/launch`, { headless: true })).status, 200);
  assert.equal((await app.client.post(`${path}/navigate`, { url: printed })).status, 200);
});
after(() => app.stop());

interface Pdf {
  pages: number;
  /** In points, of the first page. */
  size: [width: number, height: number];
}

/** Reads what Chromium's writer does not compress: the pages and their boxes, which it rounds up. */
function read(bytes: Uint8Array): Pdf {
  const text = Buffer.from(bytes).toString("latin1");
  assert.match(text, /^%PDF-1\./);
  assert.match(text, /%%EOF\s*$/);
  const box = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text);
  assert.ok(box, "a page has a MediaBox");
  const pages = text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
  return { pages, size: [Math.round(Number(box[1])), Math.round(Number(box[2]))] };
}

async function pdf(query = ""): Promise<Pdf> {
  const url = new URL(`${path}/pdf${query}`, String(app.service.apiUrl));
  const reply = await fetch(url, { headers: { authorization: `Bearer ${app.token}` } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/pdf");
  return read(new Uint8Array(await reply.arrayBuffer()));
}

test("a page breaks where its style says, on A4, or on the paper that is asked for", async () => {
  assert.deepEqual(await pdf(), { pages: 2, size: [596, 842] });
  assert.deepEqual(await pdf("?format=Letter&landscape=true&background=true"), {
    pages: 2,
    size: [792, 612],
  });
});

test("another paper or an unknown key is 400 with its name", async () => {
  for (const query of ["format=B9", "paper=A4"]) {
    const reply = await app.client.get(`${path}/pdf?${query}`);
    assert.equal(reply.status, 400);
    assert.match(JSON.stringify(reply.body), new RegExp(query.split("=")[0] ?? ""));
  }
});

test("over MCP a PDF is a resource, and its page's words are marked", async () => {
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const url = new URL("/mcp", String(app.service.apiUrl));
  const headers = { authorization: `Bearer ${app.token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const { content } = await client.callTool({ name: "page_pdf", arguments: { id } });
  await client.close();
  const [block, text] = content;
  assert.ok(block?.type === "resource" && "blob" in block.resource);
  assert.equal(block.resource.mimeType, "application/pdf");
  assert.equal(read(Buffer.from(block.resource.blob, "base64")).pages, 2);
  assert.ok(text?.type === "text" && /<page-content .+Printed/s.test(text.text), JSON.stringify(text));
});

test("the command writes it to a file", async () => {
  const file = join(app.dataDir, "page.pdf");
  const { code, stderr } = await command("page", "pdf", id, "-o", file, "--data", app.dataDir);
  assert.equal(code, 0, stderr);
  assert.equal(read(await readFile(file)).pages, 2);
});
