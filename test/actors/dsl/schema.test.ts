/** The published schema is valid, its examples compile, and the compiler's check agrees with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { checkShape } from "../../../actors/dsl/check-shape.ts";
import { definitions, publishedSchema } from "../../../actors/dsl/schema.ts";
import { createRandom } from "../../seeded-random.ts";
import { cases } from "./cases.ts";
import { randomDocument } from "./random-document.ts";

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false, unicodeRegExp: true });
ajv.addFormat("template", true);
ajv.addFormat("regex", true);

test("the schema is valid in draft 2020-12 and describes every kind of block", () => {
  assert.ok(ajv.validateSchema(publishedSchema), ajv.errorsText());
  const blocks = Object.entries(definitions).filter(([, { properties }]) => properties?.kind !== undefined);
  assert.ok(blocks.length >= 45);
  for (const [name, { description, examples = [] }] of blocks) {
    assert.ok(description !== undefined && description.length > 10, name);
    assert.ok(examples.length > 0, `${name} has no example`);
  }
});

function damaged(document: unknown, random: () => number): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(document));
  const places: { owner: Record<string, unknown>; key: string }[] = [];
  const walk = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, below] of Object.entries(value)) {
      places.push({ owner: value as Record<string, unknown>, key });
      walk(below);
    }
  };
  walk(copy);
  const place = places[Math.floor(random() * places.length)];
  if (place === undefined) return copy;
  const values = [null, 5, -1, 1.5, "", "x", true, [], {}, { by: "css" }, { ref: "a" }, ["x"]];
  if (random() < 0.3 && !Array.isArray(place.owner)) delete place.owner[place.key];
  else place.owner[place.key] = values[Math.floor(random() * values.length)];
  return copy;
}

test("an independent validator and the compiler's check agree, on valid and damaged documents", () => {
  const validate = ajv.compile(publishedSchema);
  const random = createRandom(7);
  let refused = 0;
  const compare = (document: unknown) => {
    const shaped = checkShape(document, false);
    const ours = !("problems" in shaped);
    assert.equal(
      validate(document),
      ours,
      JSON.stringify([validate.errors, shaped, document]).slice(0, 3_000),
    );
    refused += ours ? 0 : 1;
  };
  for (const document of cases.values()) compare(document);
  assert.equal(refused, 0);
  for (let seed = 1; seed <= 150; seed += 1) {
    const document = randomDocument(seed);
    compare(document);
    for (let change = 0; change < 4; change += 1) compare(damaged(document, random));
  }
  assert.ok(refused > 200, `${refused} were refused`);
});
