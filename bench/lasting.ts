/** Suite `lasting`: `evaluate` through a profile's address that stays, beside the launch's own, and what 1,000 connections leave. */
import { once } from "node:events";
import { WebSocket } from "ws";
import { descriptorCount, holdingsAtRest, holdingsOf } from "./leftovers.ts";
import { startPeer } from "./peers.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { withServed } from "./served.ts";
import { announce, median, report, samplesTable } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const rounds = 20;
const callsPerTurn = 50;
const connections = 1_000;
const atOnce = 20;
const piped = "the launch's address through a bare TCP pipe";
const launchs = "the launch's address";
const lasting = "the address that stays";

export async function runLastingSuite(): Promise<void> {
  const conditions = announce("lasting", `${rounds * callsPerTurn} calls; ${connections} connections`);
  await withServed(async ({ rest, pid, dataDir, apiUrl, token, atRest }) => {
    const [id = ""] = await rest.createProfiles(1);
    const { cdpUrl } = await rest.launch(id);
    const address = `${apiUrl}/v1/profiles/${id}/cdp`;
    const pipe = await startPeer("pipe.mjs", new URL(cdpUrl).port);
    const sessions = [
      { name: launchs, cdp: await openRawCdp(cdpUrl) },
      { name: piped, cdp: await openRawCdp(cdpUrl, pipe.ready as { port: number }) },
      { name: lasting, cdp: await openRawCdp(address, { query: `?token=${token}` }) },
    ];
    const evaluate = { expression: "document.title", returnByValue: true };
    await atRest();
    const samples = await takeTurns(
      sessions.map(({ name, cdp }) => ({ name, run: () => cdp.send("Runtime.evaluate", evaluate) })),
      rounds,
      callsPerTurn,
    );
    for (const { cdp } of sessions) cdp.close();
    await pipe.end();

    const socketUrl = `${address.replace("http", "ws")}?token=${token}`;
    const before = await holdingsOf(pid, dataDir);
    for (let done = 0; done < connections; done += atOnce)
      await Promise.all(Array.from({ length: atOnce }, () => comeAndGo(socketUrl)));
    const after = await holdingsAtRest({ pid, dataDir }, before);
    const [own = 0, pipes = 0, stays = 0] = [launchs, piped, lasting].map((name) =>
      median(samples.get(name) ?? []),
    );
    report(
      "lasting",
      samplesTable(samples, launchs, 3),
      [
        { what: "ms above the launch's address", figure: stays - own, limit: 0.3 },
        {
          what: "time above the launch's address over the bare pipe's",
          figure: (stays - own) / (pipes - own),
          limit: 1.5,
        },
        {
          what: `descriptors more after ${connections} connections`,
          figure: descriptorCount(after) - descriptorCount(before),
          limit: 0,
        },
        {
          what: `processes more after ${connections} connections`,
          figure: after.processes - before.processes,
          limit: 0,
        },
      ],
      { ...conditions, samples: Object.fromEntries(samples), before, after },
    );
    await rest.stop(id);
  });
}

async function comeAndGo(url: string): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.close();
  await once(socket, "close");
}
