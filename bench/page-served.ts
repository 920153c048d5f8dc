/** Serves a page over HTTP, because a data: URL would appear in full in every reply. */
import { createServer } from "node:http";

/** The page has `elements` buttons (`#b0`, …) that count clicks in `count`, and a field `#typed`. */
export async function withPageOf<Result>(
  elements: number,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const buttons = Array.from({ length: elements }, (_, at) => `<button id="b${at}">Button ${at}</button>`);
  return withPage(
    `<title>A page of ${elements}</title>
<script>let count = 0; onclick = () => count++;</script><input id="typed">
${buttons.join("\n")}`,
    use,
  );
}

export async function withPage<Result>(body: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${body}`);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  try {
    return await use(`http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
