/** What this machine is called: a page of a script that is not approved opens nothing by any of these names. */
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import { namesAmong, ownNames } from "../../actors/profile/own-names.ts";

test("its own name and its networks' addresses, as a URL has them", () => {
  const names = namesAmong("", "MyBox", ["192.168.1.7", "FE80:0:0::1", "::1"]);
  assert.deepEqual([...names], ["mybox", "192.168.1.7", "[fe80::1]", "[::1]"]);
});

test("names that the hosts file leads to a loopback address or to one of its own, and no others", () => {
  const hosts = `127.0.0.1 localhost\tdev.example # the shop
::1 ip6-shop
0.0.0.0 nowhere.example
#127.0.0.1 commented.example
192.168.1.7 Lan.Example second.example
192.168.1.8 printer.example
127.0.1.1 box.example.
not-an-address odd.example
127.0.0.1 bad|name fine.example`;
  assert.deepEqual(
    [...namesAmong(hosts, "box", ["192.168.1.7"])].sort(),
    [
      "box",
      "box.example",
      "192.168.1.7",
      "localhost",
      "dev.example",
      "ip6-shop",
      "nowhere.example",
      "lan.example",
      "second.example",
      "fine.example",
    ].sort(),
  );
});

test("this machine's", async () => {
  const names = await ownNames();
  assert.ok(names.has(hostname().toLowerCase()));
  assert.ok(names.has("127.0.0.1"), [...names].join(" "));
});
