/** The minimal server on node:http: looks up the path, sends JSON, refuses wrong tokens and POST. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { profiles, capacity, token } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const bearer = `Bearer ${token}`;
const values = new Map([
  ["/v1/capacity", capacity],
  ["/v1/profiles", profiles],
]);
const server = createServer((request, response) => {
  const value = values.get(request.url);
  if (request.headers.authorization !== bearer || request.method !== "GET") {
    response.writeHead(request.method === "GET" ? 401 : 429, { "content-length": 0 }).end();
    return;
  }
  const body = JSON.stringify(value);
  response
    .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ id: 0, result: { port: server.address().port } }));
