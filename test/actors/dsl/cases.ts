/** Documents for the compiler's tests: one per example of a block, and the flows that run in Chromium. */
import { blockExamples } from "../../../actors/dsl/examples.ts";
import type { DslDocument } from "../../../protocol/dsl/document.ts";
import type { Block } from "../../../protocol/dsl/flow-blocks.ts";
import { type Flow, firstFlows } from "../../browser/fixture/dsl-flows.ts";
import { moreFlows } from "../../browser/fixture/dsl-more-flows.ts";
import { placeFlows } from "../../browser/fixture/dsl-place-flows.ts";

const subflows = {
  login: {
    params: ["user"],
    steps: [{ id: "login-log", kind: "log", message: "{{ user }}" } satisfies Block],
  },
};

/** A document of these steps, with all inputs and columns that the examples read. */
export function documentOf(steps: Block[], more: Partial<DslDocument> = {}): DslDocument {
  return {
    dslVersion: "1.0",
    inputs: { variables: [{ name: "base", required: true }] },
    steps,
    ...more,
  };
}

function exampleDocument(example: Block): DslDocument {
  const needs = example.kind === "call" ? { subflows } : {};
  if (example.kind === "break" || example.kind === "continue")
    return documentOf([{ id: "loop", kind: "forCount", times: 1, steps: [example] }], needs);
  const text = JSON.stringify(example);
  const before: Block[] = text.includes("vars.total")
    ? [{ id: "set", kind: "setVariable", name: "total", value: 1 }]
    : [];
  return documentOf([...before, example], needs);
}

function flowDocument({ steps, subflows: own, settings }: Flow): DslDocument {
  return documentOf([...steps], {
    inputs: {
      variables: [
        { name: "site", required: true },
        { name: "code", default: "12345" },
      ],
    },
    ...(own === undefined ? {} : { subflows: own }),
    ...(settings === undefined ? {} : { settings }),
  });
}

export const cases: ReadonlyMap<string, DslDocument> = new Map([
  ...blockExamples.map((example) => [`${example.kind} ${example.id}`, exampleDocument(example)] as const),
  ...[...firstFlows, ...placeFlows, ...moreFlows].map(
    (flow) => [`flow: ${flow.name}`, flowDocument(flow)] as const,
  ),
]);
