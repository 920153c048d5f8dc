/** A site with logins: counts browsers that have the same profile open at the same time, by their connections. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Visit {
  who: string;
  login: string;
  /** The run, where its script names it. */
  round: string;
  /** The profile's visits, as its cookie counts them. */
  count: number;
  /** The place in `visits` of the visit whose cookies it has; null: it has none. */
  from: number | null;
}

export interface CountingSite {
  url: string;
  /** Profiles that two browsers had open at once. */
  overlaps: string[];
  visits: Visit[];
  /** Profiles that have a page of the site open. */
  openNow(): string[];
  /** Until then `/gate` is closed. */
  openGate(): void;
  close(): Promise<void>;
}

const cookieAge = "Max-Age=1000000";

export async function startCountingSite(): Promise<CountingSite> {
  const open = new Map<string, number>();
  const overlaps: string[] = [];
  const visits: Visit[] = [];
  let gateIsOpen = false;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const who = url.searchParams.get("who") ?? "";
    if (url.pathname === "/open") {
      const now = (open.get(who) ?? 0) + 1;
      open.set(who, now);
      if (now > 1) overlaps.push(who);
      // The kernel closes it when the browser is killed.
      request.socket.once("close", () => open.set(who, (open.get(who) ?? 1) - 1));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
      return;
    }
    if (url.pathname === "/gate") return void response.end(gateIsOpen ? "open" : "closed");
    if (url.pathname !== "/visit") return void response.writeHead(404).end();
    const cookies = new Map(
      (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("=") as [string, string]),
    );
    const login = cookies.get("login") ?? `login-${visits.length}`;
    const count = Number(cookies.get("count") ?? 0) + 1;
    const before = cookies.get("visit");
    const from = before === undefined ? null : Number(before);
    const visit = visits.push({ who, login, count, round: url.searchParams.get("round") ?? "", from }) - 1;
    response.writeHead(200, {
      "content-type": "text/html",
      "set-cookie": [`login=${login}`, `count=${count}`, `visit=${visit}`].map(
        (pair) => `${pair}; ${cookieAge}`,
      ),
    });
    response.end(
      `<p id="count">${count}</p><p id="login">${login}</p><script>new EventSource("/open?who=${who}")</script>`,
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    overlaps,
    visits,
    openNow: () => [...open].flatMap(([who, count]) => (count > 0 ? [who] : [])),
    openGate() {
      gateIsOpen = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
