/** A script that takes the runner's end of the channel to its owner gains nothing. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";
import { takesChannel } from "./script-attempts.ts";

let bench: ScriptBench;
before(async () => {
  bench = await openScriptBench();
});
after(() => bench.close());

const tampering = (act: string) => `export default async ({ page, log, sleep }) => {
  ${takesChannel}
  const frame = (kind, text, length = Buffer.byteLength(text)) => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(length, 0);
    head.writeUInt8(kind, 4);
    channel.write(Buffer.concat([head, Buffer.from(text)]));
  };
  const [cdp, control] = [0x63, 0x6a];
  ${act}
  await sleep(60_000);
};`;

describe("a script that has taken the channel to its owner", () => {
  const take = (act: string) => bench.run(tampering(act), { library: "puppeteer" });

  it("cannot end the browser, because the owner checks its messages", async () => {
    const ended = await take(`
      let heard = ""; // Replies to the library's own requests may come first.
      const said = new Promise((resolve) => channel.prependListener("data", (chunk) => {
        heard += chunk;
        if (heard.includes('"id":999999')) resolve(heard.slice(heard.indexOf('"id":999999')));
      }));
      frame(cdp, JSON.stringify({ id: 999999, method: "Browser.close" }));
      frame(control, JSON.stringify({ kind: "completed", result: JSON.stringify(await said) }));`);
    assert.match(String(ended.result), /Browser.close is refused/);
    assert.equal((await fetch(`${bench.cdpUrl}/json/version`)).status, 200);
  });

  it("cannot make its owner buffer an endless message", async () => {
    const { error } = await take('frame(cdp, "x", 2 ** 31);');
    assert.match(error ?? "", /sent an invalid message: a message of 2147483648 bytes/);
  });

  it("cannot send frames of an unknown kind", async () => {
    const { error } = await take('frame(0x00, "x");');
    assert.match(error ?? "", /sent an invalid message: a message of unknown kind 0/);
  });

  it("cannot return a result that is too long or not JSON", async () => {
    const long = await take(
      'frame(control, JSON.stringify({ kind: "completed", result: JSON.stringify("x".repeat(70_000)) }));',
    );
    assert.match(long.error ?? "", /returned more than 65536 bytes/);
    const torn = await take('frame(control, JSON.stringify({ kind: "completed", result: "{" }));');
    assert.match(torn.error ?? "", /not JSON/);
  });

  it("has no effect with messages of an unknown shape", async () => {
    const { result, error } = await take(`
      for (const text of ["null", "[]", "{", '{"kind":"start"}', '{"kind":"log","level":1}', '{"__proto__":{"kind":"ready"}}'])
        frame(control, text);
      frame(cdp, "nonsense");
      frame(control, JSON.stringify({ kind: "completed", result: "7" }));`);
    assert.deepEqual([result, error], [7, null]);
  });
});
