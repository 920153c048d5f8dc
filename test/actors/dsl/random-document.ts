/** Random valid documents from the schema; a seed gives the same document again. */

import { definitions, documentSchema, resolved, type Schema } from "../../../actors/dsl/schema.ts";
import { createRandom } from "../../seeded-random.ts";

interface Maker {
  random(): number;
  pick<T>(list: readonly T[]): T;
  ids: number;
  depth: number;
  loops: number;
  elements: string[];
  subflow: boolean;
}

const texts = [
  "plain",
  "",
  `quotes " ' \` and \\ and \${not} code`,
  "line\nbreak\ttab \u2028 \u0000 é 😀",
  "// no comment */ {}",
  "{{ vars.a }}",
  "{{vars.list[0].name | default:none | upper}}",
  '{{ input.base | trim | urlencode }}/{{ row.email | lower | replace:"@":" at " }}',
  "{{ input.note }}",
  '{{ now | date:"YYYY-MM-DD HH:mm" }}',
  "{{ rows[0].email }} {{ profile.name }} {{ run.id }}",
  "\\{{ not a template }}",
  '{{ vars.a | split:, | join:";" | slice:0:9 | length }}',
  "{{ vars.a | number }}",
  "{{ vars.a | int }} {{ vars | json }} {{ vars.list | first }} {{ vars.list | random }}",
];
const selectors = [
  "#a",
  "ul.orders > li:nth-child(2)",
  '[title="a]b\\"c"]',
  "a[href^='/x']",
  "div, p",
  "#id\\:x",
];
const paths = ["//*[@id='a']", "/html/body/div[2]", "(//a)[1]", '//a[text()="x"]'];
const patterns = ["/orders/\\d+$", "^https?://", "[/]\\/x", "a|b"];
const names = ["a", "list", "total", "class", "page", "value", "text"];

export function randomDocument(seed: number): object {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const maker: Maker = { random, pick, ids: 0, depth: 0, loops: 0, elements: [], subflow: false };
  const settings = make(definitions.DslSettings ?? {}, "settings", maker);
  const steps = stepsOf(maker, 7);
  maker.subflow = true;
  maker.loops = 0;
  const sub = { params: ["p", "class"], steps: stepsOf(maker, 3) };
  return {
    dslVersion: "1.0",
    name: pick(texts).slice(0, 200),
    settings,
    inputs: {
      variables: [
        { name: "base", required: true },
        { name: "note", default: pick(texts) },
      ],
      columns: [{ name: "email" }],
    },
    steps,
    subflows: { sub },
    layout: make(documentSchema.properties?.layout ?? {}, "layout", maker),
  };
}

function stepsOf(maker: Maker, most: number): unknown[] {
  maker.depth += 1;
  const count = maker.depth > 4 ? 1 : 1 + Math.floor(maker.random() * most);
  const steps = Array.from({ length: count }, () => blockOf(maker));
  maker.depth -= 1;
  return steps;
}

const blocks = (definitions.Block?.oneOf ?? []).map(resolved);

function blockOf(maker: Maker): Record<string, unknown> {
  for (;;) {
    const schema = maker.pick(blocks);
    const kinds: unknown[] = schema.properties?.kind?.enum ?? [schema.properties?.kind?.const];
    const kind = String(maker.pick(kinds));
    const holds = Object.values(schema.properties ?? {}).some((one) =>
      /Steps$|Block$/.test(one.$ref ?? one.items?.$ref ?? ""),
    );
    if (maker.depth > 4 && holds) continue;
    if ((kind === "break" || kind === "continue") && maker.loops === 0) continue;
    if (kind === "call" && maker.subflow) continue;
    const loop = ["forCount", "forRow", "forEach", "forElement", "while"].includes(kind);
    maker.loops += loop ? 1 : 0;
    if (kind === "forElement") maker.elements.push(`el${maker.elements.length}`);
    const block = objectOf(schema, maker, kind);
    if (kind === "forElement") block.as = maker.elements.pop();
    else delete block.as;
    maker.loops -= loop ? 1 : 0;
    return settle(block, kind, maker);
  }
}

function settle(block: Record<string, unknown>, kind: string, maker: Maker): Record<string, unknown> {
  maker.ids += 1;
  block.id = `b${maker.ids}`;
  block.kind = kind;
  const only = (keys: string[], otherwise: unknown) => {
    const kept = maker.pick(keys);
    const value = block[kept] ?? otherwise;
    for (const key of keys) delete block[key];
    block[kept] = value;
  };
  if (kind === "scroll") {
    delete block.by;
    block.to ??= { y: 5 };
  }
  if (kind === "select") {
    delete block.index;
    only(["value", "text"], "x");
  }
  if (kind === "switchTab") {
    delete block.index;
    only(["url", "title"], "x");
  }
  if (kind === "evaluate") {
    delete block.args;
    only(["expression", "function"], "() => 1");
  }
  if (kind === "waitElement") delete block.count;
  if (kind === "randomDelay") Object.assign(block, { minMs: 1, maxMs: 2 });
  if (kind === "screenshot") {
    block.path = maker.pick(["a.png", "{{ vars.a }}.jpg"]);
    delete block.fullPage;
  }
  if (kind === "call") Object.assign(block, { subflow: "sub", args: { p: maker.pick(texts), class: 1 } });
  if (kind === "pressKey") block.key = maker.pick(["Enter", "Control+Shift+A", "+", '"', "Control++"]);
  if (kind === "if" && Array.isArray(block.then) && block.then.length === 0) block.else = [];
  return block;
}

function objectOf(schema: Schema, maker: Maker, kind = ""): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (name === "target" && kind === "forElement") {
      const own = maker.elements.pop();
      value[name] = make(property, name, maker);
      if (own !== undefined) maker.elements.push(own);
    } else if (schema.required?.includes(name) || maker.random() < 0.4)
      value[name] = make(property, name, maker);
  }
  if (typeof value.by === "string") address(value, maker);
  return value;
}

function address(value: Record<string, unknown>, maker: Maker): void {
  if (value.by === "css") value.value = maker.pick(selectors);
  if (value.by === "xpath") value.value = maker.pick(paths);
  if (value.strict === true) {
    delete value.nth;
    delete value.or;
  }
  if (value.within !== undefined && JSON.stringify(value.within).startsWith('{"ref"')) delete value.frame;
}

function make(given: Schema, name: string, maker: Maker): unknown {
  if (given.$ref?.endsWith("/Steps")) return stepsOf(maker, 3);
  const schema = resolved(given);
  if (schema.oneOf !== undefined) return branch(schema.oneOf.map(resolved), name, maker);
  if (schema.enum !== undefined) return maker.pick(schema.enum);
  if ("const" in schema) return schema.const;
  switch (schema.type) {
    case "integer":
    case "number": {
      const { minimum = 0, maximum = 1000 } = schema;
      return Math.floor(minimum + maker.random() * (Math.min(maximum, minimum + 100_000) - minimum));
    }
    case "boolean":
      return maker.random() < 0.5;
    case "null":
      return null;
    case "array":
      if (schema.items?.$ref?.endsWith("/Block")) return stepsOf(maker, 2);
      return listOf(schema, name, maker);
    case "object":
      if (schema.properties !== undefined) return objectOf(schema, maker);
      return mapOf(schema, maker);
    default:
      return textFor(schema, name, maker);
  }
}

function branch(branches: Schema[], name: string, maker: Maker): unknown {
  const fit = branches.filter(
    (one) =>
      (one.properties?.ref === undefined || maker.elements.length > 0) &&
      (one.properties?.of === undefined || maker.random() < 0.2),
  );
  const chosen = maker.pick(fit.length > 0 ? fit : branches.slice(0, 1));
  if (chosen.properties?.ref !== undefined) return { ref: maker.pick(maker.elements) };
  return make(chosen, name, maker);
}

function listOf(schema: Schema, name: string, maker: Maker): unknown[] {
  const count = Math.max(schema.minItems ?? 0, Math.floor(maker.random() * 3));
  const list = Array.from({ length: count }, () => make(schema.items ?? {}, name, maker));
  return schema.uniqueItems === true ? [...new Set(list)] : list;
}

function mapOf(schema: Schema, maker: Maker): Record<string, unknown> {
  const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const keys = ["a", "x y", 'quote"s', "class"].slice(0, Math.floor(maker.random() * 5));
  return Object.fromEntries(keys.map((key) => [key, make(values, key, maker)]));
}

function textFor(schema: Schema, name: string, maker: Maker): string {
  if (schema.format === "regex") return maker.pick(patterns);
  if (schema.pattern?.startsWith("^[A-Za-z_:]")) return "data-x";
  if (schema.pattern?.startsWith("^[A-Za-z_]")) return maker.pick(names);
  if (schema.pattern?.startsWith("^[A-Za-z]")) return "id";
  if (name === "times") return "{{ vars.a }}";
  const text = maker.pick(texts);
  return text.length < (schema.minLength ?? 0) ? "x" : text.slice(0, schema.maxLength ?? 1000);
}
