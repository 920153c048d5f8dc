/** Listeners that nobody may reach: they count who does, and answer nothing. */
import { once } from "node:events";
import net from "node:net";

export function countedListeners() {
  const servers: net.Server[] = [];
  const counted = {
    heard: 0,
    async listen(where: string | net.ListenOptions): Promise<net.Server> {
      const server = net.createServer((client) => {
        counted.heard += 1;
        client.destroy();
      });
      server.listen(where);
      await once(server, "listening");
      servers.push(server);
      return server;
    },
    close() {
      for (const server of servers) server.close();
    },
  };
  return counted;
}
