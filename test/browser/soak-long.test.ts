/** The short form of `npm run soak`: half a minute of load with six kills, a full disk, a frozen browser and a stop. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("../soak/soak.ts", import.meta.url));

test("a soak of half a minute ends with nothing wrong", async (t) => {
  const args = ["--import", "tsx", entry, "--minutes", "0.5", "--kills", "6"];
  const soak = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => soak.kill("SIGTERM"));
  let said = "";
  for (const stream of [soak.stdout, soak.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  const [code] = await once(soak, "close");
  assert.equal(code, 0, said);
});
