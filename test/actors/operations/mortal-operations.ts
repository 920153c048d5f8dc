/** The operations thread, which ends during the first measurement of its first life. */
import { hostActor } from "../../../actors/kernel/host.ts";
import { createOperations } from "../../../actors/operations/operations.ts";
import { operationsChecks } from "../../../protocol/generated/messages/operations.ts";
import type { LibraryApi } from "../../../protocol/messages/library.ts";
import type { OperationsApi, OperationsConfig } from "../../../protocol/messages/operations.ts";
import type { PoolApi } from "../../../protocol/messages/pool.ts";
import { plainDevices } from "../devices.ts";
import { exitIn } from "../proxy-pools.ts";

hostActor<OperationsConfig, OperationsApi>(
  "operations",
  operationsChecks,
  async ({ config, log, clock, peer, exit }) =>
    createOperations({
      chromiumPath: "chromium",
      ownPorts: [],
      log,
      clock,
      library: peer<LibraryApi>("library"),
      pool: peer<PoolApi>("pool"),
      tasks: {
        readOrigins: async () => ({ origins: [] }),
        writeOrigins: async () => null,
        sampleDevices: async ({ count }) => ({ devices: plainDevices(count) }),
        async measureExits({ upstreams }) {
          if (!config.restarted) exit(7);
          return { measurements: upstreams.map(() => exitIn("FR", "Europe/Paris")) };
        },
      },
      host: config.host,
    }),
);
