/** A DSL document converted to the editor's blocks and back stays the same. */
// biome-ignore-all lint/suspicious/noThenProperty: a branch of the DSL is called so
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockExamples, documentExample } from "../../actors/dsl/examples.ts";
import { publishedSchema } from "../../actors/dsl/schema.ts";
import { type DslSchema, kindsOf } from "../../gateway/app/page/blocks/kinds.ts";
import { idsIn, programOf, stateOf } from "../../gateway/app/page/blocks/tree.ts";

const schema: DslSchema = JSON.parse(JSON.stringify(publishedSchema));
const kinds = new Map(kindsOf(schema).map((kind) => [kind.kind, kind]));

function roundTrip(steps: unknown): unknown {
  return programOf(stateOf(steps, kinds).next?.block, kinds, (id) => id);
}

test("every example of the schema is unchanged by the conversion", () => {
  const examples: unknown[] = JSON.parse(JSON.stringify(Object.values(blockExamples))).flat();
  assert.ok(examples.length > 20);
  for (const example of examples) assert.deepEqual(roundTrip([example]), [example]);
  const { steps }: { steps: unknown } = JSON.parse(JSON.stringify(documentExample));
  assert.deepEqual(roundTrip(steps), steps);
});

test("branches keep their conditions and their blocks, also when empty", () => {
  const when = (value: string) => ({ is: "empty", value });
  const say = (id: string) => ({ id, kind: "log", message: id });
  const steps = [
    {
      id: "choose",
      kind: "if",
      when: when("a"),
      then: [say("first")],
      elseIf: [
        { when: when("b"), then: [say("second"), say("third")] },
        { when: when("c"), then: [] },
        { when: when("d"), then: [say("fourth")] },
      ],
      else: [say("fifth")],
    },
    say("after"),
  ];
  assert.deepEqual(roundTrip(steps), steps);
  assert.deepEqual(idsIn(steps), ["choose", "first", "second", "third", "fourth", "fifth", "after"]);
  assert.deepEqual(kinds.get("if")?.branch, { name: "elseIf", slot: "then", before: "else" });
});
