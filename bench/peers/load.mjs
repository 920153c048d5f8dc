/** Generates load with autocannon in its own process, controlled over IPC. With `paths`, each connection requests its own path. */
import autocannon from "autocannon";

process.on("disconnect", () => process.exit());
function connectionsOf(paths) {
  const latencies = paths.map(() => []);
  let connections = 0;
  const setupClient = (client) => {
    const own = connections++;
    client.setRequests([{ path: paths[own] }]);
    client.on("response", (_status, _bytes, ms) => latencies[own].push(ms));
  };
  return { latencies, setUp: { connections: paths.length, setupClient } };
}

process.on("message", async ({ id, options: { paths, ...options } }) => {
  const { latencies, setUp } = paths === undefined ? {} : connectionsOf(paths);
  const result = await autocannon({ ...options, ...setUp });
  const { requests, latency, duration, errors, timeouts, statusCodeStats } = result;
  const statuses = Object.entries(statusCodeStats).map(([status, { count }]) => [Number(status), count]);
  process.send({
    id,
    result: {
      requests: requests.total,
      seconds: duration,
      errors: errors + timeouts,
      statuses: Object.fromEntries(statuses),
      mean: latency.average,
      p99: latency.p99,
      latencies,
    },
  });
});
process.send({ id: 0, result: null });
