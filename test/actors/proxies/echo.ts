/** A local echo service that answers with the test's value and counts requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { portOf } from "./servers.ts";

export interface EchoService {
  url: string;
  port: number;
  requests: number;
  reply: unknown;
  close(): Promise<void>;
}

export async function startEcho(
  reply: unknown,
  answer: (request: IncomingMessage, response: ServerResponse, echo: EchoService) => void = usual,
): Promise<EchoService> {
  const server = createServer((request, response) => {
    echo.requests += 1;
    answer(request, response, echo);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const echo: EchoService = {
    url: `http://127.0.0.1:${portOf(server)}/`,
    port: portOf(server),
    requests: 0,
    reply,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return echo;
}

function usual(_request: IncomingMessage, response: ServerResponse, { reply }: EchoService): void {
  response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
}
