/** Odd answers and requests: behind the bridge, through each real HTTP proxy, with and without a password, a page sees what it sees in a Chromium without Troupe. */
import { squidPath, startSquid } from "../actors/proxies/large-servers.ts";
import { startTinyproxy, tinyproxyPath } from "../actors/proxies/servers.ts";
import { matrix, testDirect, testThrough } from "./fixture/proxy-matrix.ts";

matrix();
testDirect();
testThrough(
  "tinyproxy",
  tinyproxyPath,
  () => startTinyproxy(),
  () => startTinyproxy({ user: "maria", password: "Secret7" }),
);
testThrough(
  "squid",
  squidPath,
  () => startSquid(false),
  () => startSquid(true),
);
