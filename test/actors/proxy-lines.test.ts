/** Pure parts of proxy pools: lines, slots and languages. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { languagesOf } from "../../actors/library/country-languages.ts";
import { readProxyLines } from "../../actors/library/proxy-lines.ts";
import { nextSlots } from "../../actors/library/proxy-slots.ts";
import type { ProxyType, ProxyUpstream } from "../../protocol/proxies.ts";

const read = (line: string, type: ProxyType = "http") => readProxyLines([line], type);
const proxy = (
  host: string,
  port: number,
  credentials: [string, string] | null = null,
  type: ProxyType = "http",
): ProxyUpstream => {
  return { type, host, port, username: credentials?.[0] ?? null, password: credentials?.[1] ?? null };
};

describe("proxy lines", () => {
  const good: [string, ProxyUpstream][] = [
    ["192.0.2.7:8080", proxy("192.0.2.7", 8080)],
    ["  proxy.example:1  ", proxy("proxy.example", 1)],
    ["localhost:65535", proxy("localhost", 65535)],
    ["[2001:db8::1]:3128", proxy("2001:db8::1", 3128)],
    ["proxy.example:8080:user:pass", proxy("proxy.example", 8080, ["user", "pass"])],
    ["gateway:8080:user:pass", proxy("gateway", 8080, ["user", "pass"])],
    ["proxy.example:8080:user:pa:ss", proxy("proxy.example", 8080, ["user", "pa:ss"])],
    ["proxy.example:8080:user-{session}:p@ss:1", proxy("proxy.example", 8080, ["user-{session}", "p@ss:1"])],
    ["[2001:db8::1]:3128:u:p", proxy("2001:db8::1", 3128, ["u", "p"])],
    ["user:pass@proxy.example:8080", proxy("proxy.example", 8080, ["user", "pass"])],
    ["user:p@ss@proxy.example:8080", proxy("proxy.example", 8080, ["user", "p@ss"])],
    ["user:1234:x@proxy.example:80", proxy("proxy.example", 80, ["user", "1234:x"])],
    ["user:12#34@proxy.example:80", proxy("proxy.example", 80, ["user", "12#34"])],
    ["http://proxy.example:8080", proxy("proxy.example", 8080)],
    ["HTTP://proxy.example:8080/", proxy("proxy.example", 8080)],
    ["socks5://user:pass@192.0.2.7:1080", proxy("192.0.2.7", 1080, ["user", "pass"], "socks5")],
    ["socks5h://proxy.example:1080", proxy("proxy.example", 1080, null, "socks5")],
    ["residential://u:p@proxy.example:80", proxy("proxy.example", 80, ["u", "p"], "residential")],
    ["http://us%40er:p%3Ass@proxy.example:80", proxy("proxy.example", 80, ["us@er", "p:ss"])],
    ["http://user:100%@proxy.example:80", proxy("proxy.example", 80, ["user", "100%"])],
    ["http://key@proxy.example:80", proxy("proxy.example", 80, ["key", ""])],
    ["proxy.example:8080 # the fast one", proxy("proxy.example", 8080)],
  ];
  for (const [line, expected] of good) {
    test(`${line} is read`, () => {
      assert.deepEqual(read(line), { proxies: [expected], badLines: [] });
    });
  }

  test("a line's scheme overrides the pool's type", () => {
    const types = ["proxy.example:1", "http://proxy.example:1", "socks5://proxy.example:1"].map(
      (line) => read(line, "residential").proxies[0]?.type,
    );
    assert.deepEqual(types, ["residential", "http", "socks5"]);
  });

  test("comments and blank lines are ignored", () => {
    const lines = ["# my proxies", "", "   ", "  # more", "proxy.example:1"];
    assert.deepEqual(readProxyLines(lines, "http"), { proxies: [proxy("proxy.example", 1)], badLines: [] });
  });

  const bad: [string, RegExp][] = [
    ["proxy.example", /^expected host:port/],
    ["proxy.example:http", /^expected host:port/],
    ["proxy.example:0", /^the port must be an integer from 1 to 65535$/],
    ["proxy.example:65536", /^the port must be/],
    ["proxy.example:80:S3CRET", /^expected host:port/],
    ["user:S3CRET", /^expected host:port/],
    ["user:S3CRET@", /^expected host:port/],
    ["user:S3CRET@proxy.example", /^expected host:port/],
    ["user:S3CRET@:80", /^the host is neither/],
    ["256.1.1.1:80", /^the host is neither/],
    ["-.example:80", /^the host is neither/],
    ["[::g]:80", /^the host is neither/],
    ["pro xy.example:80", /^it contains white space/],
    ["proxy.example:80\nproxy.example:81", /^it contains white space/],
    ["https://u:S3CRET@proxy.example:80", /^the scheme must be one of http, socks5, socks5h, residential$/],
    ["socks5://:S3CRET@proxy.example:80", /^a SOCKS5 user must not be empty$/],
    [
      `socks5://u:S3CRET${"x".repeat(255)}@proxy.example:80`,
      /^a SOCKS5 password may have at most 255 bytes$/,
    ],
  ];
  for (const [line, why] of bad) {
    test(`${JSON.stringify(line.slice(0, 60))} is refused without being repeated`, () => {
      const { proxies, badLines } = read(line);
      assert.deepEqual(proxies, []);
      assert.match(badLines[0]?.error ?? "", why);
      assert.ok(!badLines[0]?.error.includes("S3CRET"));
    });
  }

  test("invalid lines are reported by number, and valid ones are kept", () => {
    const { proxies, badLines } = readProxyLines(
      ["a.example:1", "# c", "nonsense", "b.example:2", "x:0"],
      "http",
    );
    assert.deepEqual(
      proxies.map((one) => one.host),
      ["a.example", "b.example"],
    );
    assert.deepEqual(
      badLines.map((one) => one.line),
      [3, 5],
    );
  });
});

describe("slots", () => {
  test("are assigned least used first, then by index", () => {
    assert.deepEqual(nextSlots([0, 0, 0], 4), [0, 1, 2, 0]);
    assert.deepEqual(nextSlots([2, 0, 1], 5), [1, 1, 2, 0, 1]);
    assert.deepEqual(nextSlots([5], 2), [0, 0]);
    assert.deepEqual(nextSlots([1, 2], 0), []);
    assert.deepEqual(nextSlots([], 3), []);
  });
});

describe("languages of a country", () => {
  test("are those of its browsers, with English last", () => {
    assert.deepEqual(languagesOf("DE"), ["de-DE", "de", "en-US", "en"]);
    assert.deepEqual(languagesOf("us"), ["en-US", "en"]);
    assert.deepEqual(languagesOf("GB"), ["en-GB", "en", "en-US"]);
    assert.deepEqual(languagesOf("BE"), ["nl-BE", "nl", "fr-BE", "fr", "en-US", "en"]);
    assert.deepEqual(languagesOf("AQ"), ["en-US", "en"]);
    assert.deepEqual(languagesOf(null), []);
  });

  test("are tags that browsers know", () => {
    for (const country of ["AE", "BA", "CH", "IN", "NO", "PH", "TW", "UA"]) {
      for (const tag of languagesOf(country)) assert.deepEqual(Intl.getCanonicalLocales(tag), [tag]);
    }
  });
});
