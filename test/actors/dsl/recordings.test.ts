/** DevTools Recorder recordings as documents: what a step waits for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { convertRecording } from "../../../actors/dsl/recording/convert.ts";

function blocksOf(...steps: object[]): unknown {
  return convertRecording({ title: "Recorded", steps }, []).steps;
}

const leadsTo = (url: string) => ({ assertedEvents: [{ type: "navigation", url, title: "Shop" }] });

test("a navigation to its own address is not awaited again, because the page may have another address by then", () => {
  for (const url of ["http://shop.test/", "http://shop.test", "http://SHOP.test:80/"])
    assert.deepEqual(blocksOf({ type: "navigate", url, ...leadsTo("http://shop.test/") }), [
      { id: "s1", kind: "navigate", url },
    ]);
});

test("an address that a step reaches through another one is awaited", () => {
  assert.deepEqual(
    blocksOf(
      { type: "navigate", url: "http://shop.test/", ...leadsTo("http://shop.test/login") },
      { type: "click", selectors: [["#go"]], offsetX: 1, offsetY: 1, ...leadsTo("http://shop.test/cart") },
    ),
    [
      { id: "s1", kind: "navigate", url: "http://shop.test/" },
      { id: "s1-2", kind: "waitUrl", matches: "^http://shop\\.test/login$" },
      {
        id: "s2",
        kind: "click",
        target: { by: "css", value: "#go" },
        position: { x: 1, y: 1 },
      },
      { id: "s2-2", kind: "waitUrl", matches: "^http://shop\\.test/cart$" },
    ],
  );
});
