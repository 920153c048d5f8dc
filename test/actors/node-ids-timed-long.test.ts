/** The cost of node ids in a browser that runs for a long time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NodeIds } from "../../actors/profile/page/node-ids.ts";

test("a page's ids cost no more after the oldest are forgotten", () => {
  const ids = new NodeIds(200_000);
  const page = (loaderId: number) => {
    const document = { targetId: "T", frameId: "F", loaderId: String(loaderId), ids: new Map() };
    const begun = performance.now();
    for (let node = 1; node <= 1_600; node += 1) ids.give(document, node);
    return performance.now() - begun;
  };
  const took = Array.from({ length: 400 }, (_, at) => page(at)).sort((a, b) => a - b);
  assert.ok((took[200] ?? 0) < 10, `median of ${took[200]} ms for 1,600 ids`);
});
