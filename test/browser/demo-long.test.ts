/** The demo with few profiles: it succeeds, or names the failed profile and the reason, and leaves nothing behind. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { root } from "../tidy/tree.ts";

let tempDir = "";
before(() => {
  tempDir = mkdtempSync(join(tmpdir(), "demo-"));
});
after(() => rmSync(tempDir, { recursive: true, force: true }));

function startDemo(...options: string[]) {
  const args = [join(root, "dist", "demo.js"), "--output", join(tempDir, "pictures"), ...options];
  return spawn(process.execPath, args, {
    env: { ...process.env, TMPDIR: tempDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function runDemo(...options: string[]) {
  const child = startDemo(...options);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  return { code, output };
}

const leftovers = () => readdirSync(tempDir).filter((name) => name.startsWith("troupe-demo-"));

describe("the demo", () => {
  test("lets profiles shop in parallel, verifies each, saves a screenshot of each, and exits with 0", async () => {
    const { code, output } = await runDemo("--profiles", "3", "--concurrency", "2");
    assert.equal(code, 0, output);
    assert.equal(output.match(/as the shop counts/g)?.length, 3);
    assert.match(output, /launch p50 \d+ ms · run total \d+ ms/);
    for (const number of [1, 2, 3]) {
      const picture = readFileSync(join(tempDir, "pictures", `shopper-${number}.png`));
      assert.equal(picture.subarray(1, 4).toString(), "PNG");
    }
    assert.deepEqual(leftovers(), []);
  });

  test("exits with 1 and the reason when a profile fails, without affecting the others", async () => {
    const { code, output } = await runDemo("--profiles", "2", "--concurrency", "2", "--fail", "2");
    assert.equal(code, 1, output);
    assert.match(output, /FAILED {2}Shopper 2: failed: .*blaise could not log in/s);
    assert.equal(output.match(/as the shop counts/g)?.length, 1);
    assert.deepEqual(leftovers(), []);
  });

  test("stops Troupe and its browsers when it is interrupted", async () => {
    const child = startDemo("--profiles", "2", "--concurrency", "2");
    let output = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      output += text;
      if (/running/.test(text) && !child.killed) child.kill("SIGTERM");
    }
    assert.match(output, /FAILED {2}ended by SIGTERM/);
    assert.deepEqual(leftovers(), []);
  });
});
