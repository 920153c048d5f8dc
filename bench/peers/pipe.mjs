/** A bare TCP pipe to a port of this machine: what any way through another process costs. */
import { connect, createServer } from "node:net";

const port = Number(process.argv[2]);
const server = createServer((client) => {
  const browser = connect(port, "127.0.0.1");
  for (const [from, to] of [
    [client, browser],
    [browser, client],
  ]) {
    from.setNoDelay();
    from.on("error", () => from.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ id: 0, result: { port: server.address().port } }));
