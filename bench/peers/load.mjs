/** The load of the gateway suite, in a process of its own: autocannon, told over IPC what to ask for, for how long. */
import autocannon from "autocannon";

process.on("disconnect", () => process.exit());
process.on("message", async ({ id, options }) => {
  const { requests, latency, duration, errors, timeouts, statusCodeStats } = await autocannon(options);
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
    },
  });
});
process.send({ id: 0, result: null });
