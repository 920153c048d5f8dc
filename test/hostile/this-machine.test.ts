/** All names and addresses of this machine are recognised, and no others. */
import assert from "node:assert/strict";
import { hostname, networkInterfaces } from "node:os";
import { test } from "node:test";
import { machineOf, thisMachine } from "../../actors/kernel/this-machine.ts";

const hosts = `127.0.0.1 localhost\tdev.example # the shop
::1 ip6-shop
0.0.0.0 nowhere.example
#127.0.0.1 commented.example
192.168.1.7 Lan.Example second.example
192.168.1.8 printer.example
::ffff:127.0.0.3 mapped.example
127.0.1.1 box.example.
not-an-address odd.example
127.0.0.1 bad|name fine.example`;
const isThisMachine = machineOf({
  name: "MyBox.Example",
  addresses: ["192.168.1.7", "FE80:0:0::1", "::1", "2001:db8::7"],
  hosts,
});

const own = `127.0.0.1 127.1 127.255.255.254 0x7f000001 0x7f.1 0177.0.0.1 2130706433 127.0.0.1. 0.0.0.0 0 0.1.2.3
[::1] [::] [0:0:0:0:0:0:0:1] [::0:1] ::1 [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:0:0] [::ffff:0.0.0.0] [::127.0.0.1]
[::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::127.0.0.1] [2002:7f00:1::] [2002:7f00:1::5] [2001:0:7f00:1::]
[::ffff:192.168.1.7] [::ffff:c0a8:107] [64:ff9b::192.168.1.7] [2002:c0a8:107::1] 192.168.1.7 0xc0a80107 3232235783
[fe80::1] [FE80:0:0::1] [2001:db8::7] [2001:db8:0:0::7]
localhost LOCALHOST localhost. app.localhost a.b.localhost. localhost.localdomain ⓛocalhost １２７.０.０.１ _outbound
mybox mybox.example mybox.local MyBox. dev.example ip6-shop nowhere.example lan.example second.example mapped.example box.example fine.example`;

const foreign = `example.com localhost.example.com notlocalhost 128.0.0.1 126.255.255.255 1.0.0.0 192.168.1.8 [fe80::2] [2001:db8::8]
[::ffff:128.0.0.1] [::ffff:192.168.1.8] [64:ff9b::128.0.0.1] [2002:8000:1::] [::2:0:0] printer.example commented.example odd.example bad|name
127.0.0.1.example.com`;

for (const host of own.split(/\s+/))
  test(`${host} is this machine`, () => assert.equal(isThisMachine(host), true));

for (const host of [...foreign.split(/\s+/), ""])
  test(`${host || "nothing"} is not`, () => assert.equal(isThisMachine(host), false));

test("this machine's own name and all its network addresses are recognised", async () => {
  const here = await thisMachine();
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  assert.ok(addresses.length > 0);
  for (const { address, family } of addresses)
    assert.ok(here(family === "IPv6" ? `[${address}]` : `[::ffff:${address}]`), address);
  assert.ok(here(hostname()));
});
