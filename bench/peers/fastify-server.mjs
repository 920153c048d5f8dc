/**
 * A Fastify server with the gateway's checks in the same order, following Fastify's guides: hooks for host, token and budget, schemas for
 * bodies and replies. Serves values from memory.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Fastify from "fastify";

const { profiles, capacity, token, schemas, expensiveCallsMax } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const keys = new Map([[sha256(token), { name: "bench", access: "write" }]]);
const names = new Set(["127.0.0.1", "localhost"]);
const windowMs = 60_000;
const counted = new Map();

const app = Fastify({ logger: false });
app.addHook("onRequest", async (request, reply) => {
  const [name] = (request.headers.host ?? "").split(":");
  if (!names.has(name)) return reply.code(403).send();
  const value = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const key = value === undefined ? undefined : keys.get(sha256(value));
  if (key === undefined) return reply.code(401).send();
  request.holder = key;
});

/** Counts after the body is validated, like the gateway. */
async function charge(request, reply) {
  const now = Date.now();
  const recent = (counted.get(request.holder.name) ?? []).filter((at) => at > now - windowMs);
  const allowed = recent.length < expensiveCallsMax;
  if (allowed) recent.push(now);
  counted.set(request.holder.name, recent);
  const reset = Math.max(1, Math.ceil(((recent[0] ?? now) + windowMs - now) / 1000));
  reply.header("ratelimit-limit", expensiveCallsMax);
  reply.header("ratelimit-remaining", expensiveCallsMax - recent.length);
  reply.header("ratelimit-reset", reset);
  if (!allowed) {
    reply.header("retry-after", reset);
    return reply.code(429).send({ error: `rate limited: try again in ${reset} s` });
  }
}

app.get("/v1/capacity", { schema: { response: { 200: schemas.capacity } } }, async () => capacity);
app.get(
  "/v1/profiles",
  { schema: { response: { 200: { type: "array", items: schemas.profile } } } },
  async () => profiles,
);
app.post("/v1/profiles", { schema: { body: schemas.createBody }, preHandler: charge }, async () => ({
  created: [],
  failed: [],
}));

process.on("disconnect", () => process.exit());
await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ id: 0, result: { port: app.server.address().port } });
