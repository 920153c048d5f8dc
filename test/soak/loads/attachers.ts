/** Clients on `cdpUrl` that vanish during their work: killed, or with a destroyed socket. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LaunchReply } from "../../../protocol/requests.ts";
import { pause, pick, type Round } from "./load.ts";

const entry = fileURLToPath(new URL("./attacher.ts", import.meta.url));
const workMs = 3_000;
const attachMs = 90_000;

export function attachers(profileIds: readonly string[]): Round {
  return async ({ target, ledger, random, site }) => {
    const id = pick(random, profileIds);
    const library = pick(random, ["playwright", "puppeteer"]);
    const way = pick(random, ["killed", "destroyed"]);
    const launched = await ledger.attempt("launch", id, () =>
      target.post<LaunchReply>(`/v1/profiles/${id}/launch`, { headless: true, idle_timeout_secs: 0 }),
    );
    if (launched !== null) {
      const forMs = workMs * random();
      const order = [library, launched.cdpUrl, site, way === "destroyed" ? String(forMs) : "for ever"];
      await ledger.attempt(`${library} ${way}`, id, () =>
        attachAndVanish(order, way === "killed" ? forMs : null),
      );
      await ledger.attempt("verbs after a client vanished", id, async () => {
        const path = `/v1/profiles/${id}`;
        await target.post(`${path}/navigate`, { url: `${site}/table` });
        await target.post(`${path}/evaluate`, { expression: "document.title" });
      });
    }
    await ledger.attempt("stop", id, () => target.post(`/v1/profiles/${id}/stop`));
  };
}

/** `killAfterMs` null: the client destroys its own socket. */
async function attachAndVanish(order: readonly string[], killAfterMs: number | null): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", entry, ...order], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const closed = once(child, "close");
  const tooLate = setTimeout(() => child.kill("SIGKILL"), attachMs);
  try {
    const works = await Promise.race([
      once(createInterface(child.stdout), "line").then(() => true),
      closed.then(() => false),
    ]);
    if (!works) throw new Error(`a client did not reach the page: ${said.slice(-1_000)}`);
    if (killAfterMs !== null) {
      await pause(killAfterMs);
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    if (killAfterMs === null && code !== 0) throw new Error(`a client failed: ${said.slice(-1_000)}`);
  } finally {
    clearTimeout(tooLate);
    child.kill("SIGKILL");
  }
}
