/** The short forms of `npm run soak`. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("../soak/soak.ts", import.meta.url));

async function endsWell(t: TestContext, ...args: string[]): Promise<void> {
  const soak = spawn(process.execPath, ["--import", "tsx", entry, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => soak.kill("SIGTERM"));
  let output = "";
  for (const stream of [soak.stdout, soak.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const [code] = await once(soak, "close");
  assert.equal(code, 0, output);
}

test("half a minute of load with six kills, a full disk, a frozen browser and a stop ends without problems", (t) =>
  endsWell(t, "--minutes", "0.5", "--kills", "6"));

test("a batch in which a third of the parts throw, and some hang, crash or leave dialogs open, accounts for each part", (t) =>
  endsWell(t, "--batch", "24"));
