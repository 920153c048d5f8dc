/** Ids of nodes: the newest lead to their node and document, and the oldest are forgotten. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KnownDocument, NodeIds } from "../../actors/profile/page/node-ids.ts";

const documentOf = (loaderId: string): KnownDocument => ({
  targetId: "T",
  frameId: "F",
  loaderId,
  ids: new Map(),
});

test("ids count up from 1, and each leads to its node and document", () => {
  const ids = new NodeIds(100);
  const [first, second] = [documentOf("first"), documentOf("second")];
  assert.equal(ids.last, 0);
  assert.deepEqual([ids.give(first, 7), ids.give(second, 7), ids.give(first, 8)], [1, 2, 3]);
  assert.deepEqual(ids.get(1), { document: first, backendNodeId: 7 });
  assert.deepEqual(ids.get(2), { document: second, backendNodeId: 7 });
  assert.equal(first.ids.get(8), 3);
  assert.equal(ids.last, 3);
  for (const never of [0, -1, 4, 1.5, 4_097]) assert.equal(ids.get(never), undefined, String(never));
});

test("at least the newest ids up to the limit are known; a forgotten node gets a new id", () => {
  const max = 10_000;
  const ids = new NodeIds(max);
  const document = documentOf("D");
  for (let node = 1; node <= 50_000; node += 1) ids.give(document, node);
  assert.equal(ids.last, 50_000);
  assert.equal(ids.get(1), undefined);
  assert.equal(document.ids.has(1), false);
  for (let id = 50_000; id > 50_000 - max; id -= 1) {
    assert.equal(ids.get(id)?.backendNodeId, id);
    assert.equal(document.ids.get(id), id);
  }
  assert.ok(document.ids.size < 2 * max);
});
