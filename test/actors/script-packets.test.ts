/** A runner's protocol and its limits: packets, messages, and the ledger of a run. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createInlet } from "../../actors/script/inlet.ts";
import { createLedger } from "../../actors/script/log-and-output.ts";
import { parseRunnerMessage } from "../../actors/script/messages.ts";
import { encodePacket, type PacketKind, PacketReader } from "../../actors/script/packets.ts";
import { limits } from "../../protocol/limits.ts";

describe("packets", () => {
  it("are decoded unchanged, however the pipe splits them", () => {
    const sent: [PacketKind, string][] = [
      ["cdp", "{}"],
      ["control", "юникод 😀"],
      ["cdp", ""],
      ["cdp", "x".repeat(1_000)],
    ];
    const bytes = Buffer.concat(sent.map(([kind, text]) => encodePacket(kind, text)));
    for (const step of [1, 2, 3, 7, 100, bytes.length]) {
      const got: [PacketKind, string][] = [];
      const reader = new PacketReader(10_000, (kind, text) => got.push([kind, text]));
      for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
      assert.deepEqual(got, sent);
    }
  });

  it("that announce too many bytes are refused before they are read", () => {
    const reader = new PacketReader(100, () => assert.fail("no packet is complete"));
    assert.throws(() => reader.push(encodePacket("cdp", "x".repeat(101)).subarray(0, 5)), RangeError);
  });

  it("of an unknown kind are refused", () => {
    const packet = encodePacket("cdp", "{}");
    packet.writeUInt8(0, 4);
    assert.throws(() => new PacketReader(100, () => undefined).push(packet), RangeError);
  });
});

describe("an inlet", () => {
  it("delivers one message per turn, so that its promises settle before the next", async () => {
    const inlet = createInlet<string>();
    const seen: string[] = [];
    inlet.put("a");
    const all = new Promise<void>((resolve) => {
      inlet.take(async (message) => {
        seen.push(message);
        await null;
        await null;
        seen.push(`${message} settled`);
        if (message === "c") resolve();
      });
    });
    inlet.put("b");
    inlet.put("c");
    await all;
    assert.deepEqual(seen, ["a", "a settled", "b", "b settled", "c", "c settled"]);
  });
});

describe("messages of a runner", () => {
  for (const text of [
    "",
    "[]",
    "null",
    '{"kind":"log"}',
    '{"kind":"output","row":{}}',
    '{"kind":"unheard"}',
    '{"__proto__":{"kind":"ready"}}',
  ])
    it(`like ${text === "" ? "an empty text" : text} are refused`, () => {
      assert.equal(parseRunnerMessage(text), null);
    });
});

describe("the ledger of a run", () => {
  it("keeps the last lines and refuses more bytes than the limit", () => {
    const ledger = createLedger();
    for (let line = 0; line < limits.scriptLogTailLinesMax + 5; line += 1) ledger.log("info", `${line}`);
    assert.equal(ledger.tail().length, limits.scriptLogTailLinesMax);
    assert.equal(ledger.tail()[0], "info: 5");
    assert.match(ledger.log("info", "x".repeat(limits.scriptLogBytesMax)) ?? "", /logged more than/);
  });

  it("refuses more rows than the limit, and rows that are not objects", () => {
    const ledger = createLedger();
    for (let row = 0; row < limits.scriptOutputRowsMax; row += 1)
      assert.equal(ledger.output('{"a":1}'), null);
    assert.match(ledger.output('{"a":1}') ?? "", /output more than/);
    assert.match(createLedger().output("[1]") ?? "", /not an object/);
  });
});
