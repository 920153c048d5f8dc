/** Reading an echo service's reply, in the formats of such services. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readEchoReply } from "../../../actors/proxy-exit/echo-reply.ts";

const berlin = { ip: "203.0.113.7", country: "DE", city: "Berlin", timezone: "Europe/Berlin" };

describe("an echo service's reply", () => {
  const nowhere = { country: null, city: null, timezone: null };
  const replies: [string, ReturnType<typeof readEchoReply>][] = [
    [" 203.0.113.7\n", { ip: "203.0.113.7", ...nowhere }],
    ["::ffff:203.0.113.7", { ip: "203.0.113.7", ...nowhere }],
    ["2001:db8::1", { ip: "2001:db8::1", ...nowhere }],
    ['"203.0.113.7"', { ip: "203.0.113.7", ...nowhere }],
    [JSON.stringify({ origin: "203.0.113.7, 10.0.0.1" }), { ip: "203.0.113.7", ...nowhere }],
    [
      JSON.stringify({
        query: "203.0.113.7",
        country: "Germany",
        countryCode: "de",
        city: "Berlin",
        timezone: "Europe/Berlin",
      }),
      berlin,
    ],
    [
      JSON.stringify({
        ip: "203.0.113.7",
        country: "Germany",
        city: "Berlin",
        timezone: { id: "Europe/Berlin" },
      }),
      berlin,
    ],
    [
      JSON.stringify({
        ip_address: "203.0.113.7",
        location: { country: { code: "DE", name: "Germany" }, city: "Berlin", time_zone: "europe/berlin" },
      }),
      berlin,
    ],
    [
      JSON.stringify({ ip: "203.0.113.7", timezone: "Mars/Base", country_code: "", city: "" }),
      { ip: "203.0.113.7", ...nowhere },
    ],
    [JSON.stringify({ ip: "203.0.113.7", timezone: "+05:30" }), { ip: "203.0.113.7", ...nowhere }],
    [
      JSON.stringify({ ip: "203.0.113.7", timezone: "Asia/Kolkata" }),
      { ip: "203.0.113.7", ...nowhere, timezone: "Asia/Calcutta" },
    ],
    [JSON.stringify({ ip: "none" }), null],
    ["<html>203.0.113.7</html>", null],
    ["", null],
    ["[]", null],
  ];
  for (const [body, expected] of replies) {
    test(`reads ${body.trim() || "nothing"}`, () => assert.deepEqual(readEchoReply(body), expected));
  }
});
