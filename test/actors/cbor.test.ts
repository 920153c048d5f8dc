/** The binary form of the debugging pipe: JSON values survive, and unwanted fields are not read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, messageLength, NotAMessage, read, type Unread } from "../../actors/profile/cdp/cbor.ts";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";

const through = (value: object) => read({ bytes: encode(value), at: 0 });

test("JSON values are the same after encoding and decoding", () => {
  const numbers = [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300, 0.1, 1.7e12];
  const texts = [
    "",
    "a",
    "x".repeat(23),
    "x".repeat(24),
    "x".repeat(255),
    "x".repeat(70_000),
    "é",
    "日本",
    "😀",
    '\0\n"\\',
  ];
  const half = ["\ud800", "a\udc00b", "😀\ud83d"];
  const value = {
    numbers: [...numbers, ...numbers.map((number) => -number - 1)],
    others: [true, false, null, [], {}, [[[]]], Number.NaN, Number.POSITIVE_INFINITY, undefined],
    texts: [...texts, ...half, ...texts.map((text) => `${text}é`)],
    left: undefined,
    "a field named in é": { __proto__: null, "": 1 },
  };
  assert.deepEqual(through(value), JSON.parse(JSON.stringify(value)));
  assert.deepEqual(Object.keys(through(JSON.parse('{"__proto__":{"a":1}}')) as object), ["__proto__"]);
});

test("texts with similar bytes are distinguished, also when repeated", () => {
  // More than 8 KB, so that words are cached and compared.
  const words = Array.from({ length: 1_000 }, () => ["é", "Ã©", "Ã", "ab", "ba", "Ab", "aa", "a"]).flat();
  for (let round = 0; round < 3; round += 1) assert.deepEqual(through(words), words);
  const many = Array.from({ length: 10_000 }, (_, at) => `word ${at * 7}`);
  assert.deepEqual(through([...many, ...many]), [...many, ...many]);
});

const answer = Buffer.from(
  "d8185a000000a6bf6269640966726573756c74d8185a00000066bf66726573756c74d8185a00000056bf6474797065666f626a6563746576616c7565" +
    "d8185a0000003bbf647465787448e400e5653dd800de6468616c66fbc016000000000000646c697374d8185a000000079ff6f539012bff64776964" +
    "651a00011170ffffff6973657373696f6e496478203138454141353839394335363839414331374145373633324543374531323343ff",
  "hex",
);

test("a message's maps are skipped until they are read, and then without unwanted fields", () => {
  assert.equal(messageLength(answer), answer.length);
  assert.equal(messageLength(answer.subarray(0, 6)), null);
  const { id, result, sessionId } = fieldsOf(answer);
  assert.deepEqual([id, sessionId], [9, "18EAA5899C5689AC17AE7632EC7E123C"]);
  const value = { text: "ä日😀", half: -5.5, list: [null, true, -300], wide: 70_000 };
  assert.deepEqual(read(result as Unread), { result: { type: "object", value } });
  const { half, wide } = value;
  const rest = { result: { type: "object", value: { half, wide } } };
  assert.deepEqual(read(result as Unread, new Set(["text", "list"])), rest);
  assert.deepEqual(read(result as Unread, new Set(["value"])), { result: { type: "object" } });
});

test("binary data is base 64", () => {
  const bytes = Buffer.from("d8185a0000000cbf6464617461d64401020304ff", "hex");
  assert.deepEqual(read({ bytes, at: 0 }), { data: "AQIDBA==" });
});

test("an invalid message is refused, and never read beyond its end", () => {
  const text = Buffer.from('{"id":1,"result":{}}\0');
  assert.throws(() => messageLength(text), NotAMessage);
  const cut = encode({ id: 1, word: "x".repeat(40) }).subarray(0, 30);
  assert.throws(() => fieldsOf(cut), NotAMessage);
  assert.throws(() => fieldsOf(encode({ id: 1, list: [1] }).subarray(0, -1)), NotAMessage);
});
