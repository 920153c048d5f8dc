/** Odd answers and requests: behind the bridge, through each real SOCKS5 proxy, with and without a password, a page sees what it sees in a Chromium without Troupe. */
import { dantePath, oddPassword, oddUser, startDante } from "../actors/proxies/large-servers.ts";
import { microsocksPath, startMicrosocks } from "../actors/proxies/servers.ts";
import { matrix, testThrough } from "./fixture/proxy-matrix.ts";

matrix();
testThrough(
  "microsocks",
  microsocksPath,
  () => startMicrosocks(null),
  () => startMicrosocks({ user: oddUser, password: oddPassword }),
);
testThrough(
  "dante",
  dantePath,
  () => startDante(false),
  () => startDante(true),
);
