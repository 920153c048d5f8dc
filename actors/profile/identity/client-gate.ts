/**
 * The debugging address that clients get: the browser's own behind it, byte for byte, with three differences. A client that holds new
 * targets lets them go for all, also for us (seen with service workers and windows that their opener writes to): its word to go
 * on waits here until each target has its values. Its word to close the browser waits until what pages have written is on disk. And
 * it is let go of a service worker that has stopped, so that the next start is held (restarted-workers).
 */
import { createServer, type Socket } from "node:net";
import { type JoinParts, joinClient } from "./client-join.ts";
import type { NewTabs } from "./new-tabs.ts";

export interface ClientGate {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** Ends every client's connection. */
  close(): void;
}

export interface GateParts extends JoinParts {
  newTabs: NewTabs;
}

/** Neither of the two waits may take for ever. */
export async function openClientGate(browserUrl: Promise<string>, parts: GateParts): Promise<ClientGate> {
  const { newTabs } = parts;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const follow = (socket: Socket) => {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once("close", () => sockets.delete(socket));
    };
    follow(client);
    client.pause();
    client.on("error", () => client.destroy());
    const hands = newTabs.handsOn();
    client.once("close", hands.off);
    Promise.all([browserUrl, hands.ready]).then(
      ([url]) => follow(joinClient(client, Number(new URL(url).port), parts)),
      () => client.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gate for clients has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
