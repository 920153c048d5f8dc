/** The second check of a document: rules that a JSON Schema cannot express. Also collects the facts that emitters need. */
import type { DslDocument } from "../../protocol/dsl/document.ts";
import type { Block } from "../../protocol/dsl/flow-blocks.ts";
import { checkBlock } from "./check-block.ts";
import type { Mark, Problem } from "./check-shape.ts";
import { type Declared, referenceOf, rootNames } from "./names.ts";
import { type Local, sectionsOf, variableSetBy } from "./sections.ts";
import { forbiddenNames, parseTemplate, type Template, TemplateError } from "./template.ts";

const depthMax = 16;
const blocksMax = 2000;

export interface PlacedBlock {
  block: Block;
  pointer: string;
  locals: readonly Local[];
  /** Null for blocks outside subflows. */
  subflow: string | null;
}

export interface Facts extends Declared {
  document: DslDocument;
  /** Every block in document order, including nested and disabled ones. */
  blocks: readonly PlacedBlock[];
  templates: ReadonlyMap<string, Template>;
  marks: ReadonlyMap<object, Mark[]>;
}

interface Pass {
  document: DslDocument;
  problems: Problem[];
  blocks: PlacedBlock[];
  templates: Map<string, Template>;
  marks: ReadonlyMap<object, Mark[]>;
  declared: Declared;
  ids: Map<string, string>;
}

interface Place {
  locals: Local[];
  subflow: string | null;
  loop: boolean;
  depth: number;
}

export function checkMeaning(
  document: DslDocument,
  marks: ReadonlyMap<object, Mark[]>,
): Facts | { problems: Problem[] } {
  const { variables = [], columns = [] } = document.inputs ?? {};
  const pass: Pass = {
    document,
    problems: [],
    blocks: [],
    templates: new Map(),
    marks,
    declared: {
      variables: new Set(allBlocks(document).flatMap((block) => variableSetBy(block) ?? [])),
      inputs: new Map(variables.map((variable) => [variable.name, variable])),
      columns: columns.length === 0 ? null : new Set(columns.map(({ name }) => name)),
    },
    ids: new Map(),
  };
  checkDeclarations(pass);
  const place: Place = { locals: [], subflow: null, loop: false, depth: 1 };
  visitSteps(document.steps, "/steps", place, pass);
  for (const [name, subflow] of Object.entries(document.subflows ?? {})) {
    const locals = (subflow.params ?? []).map((param): Local => ({ name: param, type: "value" }));
    visitSteps(subflow.steps, `/subflows/${name}/steps`, { ...place, locals, subflow: name }, pass);
  }
  checkCircles(pass);
  if (pass.blocks.length > blocksMax)
    say(pass, "/steps", null, `the document has ${pass.blocks.length} blocks, at most ${blocksMax}`);
  if (pass.problems.length > 0) return { problems: pass.problems };
  const { blocks, templates, declared } = pass;
  return { document, blocks, templates, marks, ...declared };
}

function say(pass: Pass, pointer: string, block: Block | null, message: string): void {
  const node = block === null ? null : { id: block.id, kind: block.kind };
  if (pass.problems.length < 20) pass.problems.push({ pointer, node, message });
}

function allBlocks(document: DslDocument): Block[] {
  const all: Block[] = [];
  const add = (steps: Block[]) => {
    for (const block of steps) {
      all.push(block);
      for (const section of sectionsOf(block)) add(section.steps);
    }
  };
  add(document.steps);
  for (const subflow of Object.values(document.subflows ?? {})) add(subflow.steps);
  return all;
}

/** Names become properties and identifiers in the compiled code. */
function checkDeclarations(pass: Pass): void {
  const { inputs = {}, outputs = [], subflows = {} } = pass.document;
  const { variables = [], columns = [] } = inputs;
  const lists: [string, { name: string }[]][] = [
    ["/inputs/variables", variables],
    ["/inputs/columns", columns],
    ["/outputs", outputs],
  ];
  for (const [pointer, list] of lists) {
    for (const [index, { name }] of list.entries()) {
      const at = `${pointer}/${index}/name`;
      if (forbiddenNames.includes(name)) say(pass, at, null, `"${name}" cannot be a name`);
      if (list.findIndex((other) => other.name === name) < index)
        say(pass, at, null, `"${name}" is declared twice`);
    }
  }
  for (const [name, { params = [] }] of Object.entries(subflows)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
      say(pass, `/subflows/${name}`, null, `the subflow's name must be a name, got ${JSON.stringify(name)}`);
    for (const [index, param] of params.entries())
      checkName(param, `/subflows/${name}/params/${index}`, null, pass);
  }
}

function checkName(name: string, pointer: string, block: Block | null, pass: Pass): void {
  if (rootNames.includes(name) || forbiddenNames.includes(name))
    say(pass, pointer, block, `"${name}" is a reserved name; choose another`);
}

function visitSteps(steps: Block[], pointer: string, place: Place, pass: Pass): void {
  if (place.depth > depthMax) {
    say(pass, pointer, null, `the blocks are nested ${place.depth} deep, at most ${depthMax}`);
    return;
  }
  for (const [index, block] of steps.entries()) visitBlock(block, `${pointer}/${index}`, place, pass);
}

function visitBlock(block: Block, pointer: string, place: Place, pass: Pass): void {
  const { locals, subflow } = place;
  pass.blocks.push({ block, pointer, locals, subflow });
  const first = pass.ids.get(block.id);
  if (first === undefined) pass.ids.set(block.id, pointer);
  else
    say(pass, `${pointer}/id`, block, `the id is already used by ${first}; ids are unique in the document`);
  if ((block.kind === "break" || block.kind === "continue") && !place.loop)
    say(pass, pointer, block, `"${block.kind}" is not inside a loop`);
  const variable = variableSetBy(block);
  if (variable !== null && forbiddenNames.includes(variable))
    say(pass, pointer, block, `"${variable}" cannot be the name of a variable`);
  if ("as" in block && block.as !== undefined) {
    checkName(block.as, `${pointer}/as`, block, pass);
    if (locals.some(({ name }) => name === block.as))
      say(
        pass,
        `${pointer}/as`,
        block,
        `"${block.as}" is already the name of an enclosing loop or parameter`,
      );
  }
  for (const mark of pass.marks.get(block) ?? []) checkMark(mark, block, locals, pass);
  checkBlock(block, pointer, locals, pass.document, (at, message) => say(pass, at, block, message));
  for (const section of sectionsOf(block)) {
    const inner: Place = {
      locals: [...locals, ...section.locals],
      subflow,
      // A subflow compiles to a function, so its break cannot leave the caller's loop.
      loop: section.loop || place.loop,
      depth: place.depth + 1,
    };
    visitSteps(section.steps, `${pointer}/${section.path}`, inner, pass);
  }
}

function checkMark(mark: Mark, block: Block, locals: readonly Local[], pass: Pass): void {
  try {
    if (mark.format === "regex") {
      new RegExp(mark.text);
      return;
    }
    const template = pass.templates.get(mark.text) ?? parseTemplate(mark.text);
    pass.templates.set(mark.text, template);
    for (const part of template) if (typeof part !== "string") referenceOf(part, locals, pass.declared);
  } catch (error) {
    if (!(error instanceof TemplateError) && !(error instanceof SyntaxError)) throw error;
    say(pass, mark.pointer, block, error.message);
  }
}

function checkCircles(pass: Pass): void {
  const calls = new Map<string, { to: string; at: PlacedBlock }[]>();
  for (const at of pass.blocks)
    if (at.block.kind === "call" && at.subflow !== null)
      calls.set(at.subflow, [...(calls.get(at.subflow) ?? []), { to: at.block.subflow, at }]);
  const done = new Set<string>();
  const follow = (name: string, trail: string[]): void => {
    if (done.has(name)) return;
    for (const { to, at } of calls.get(name) ?? []) {
      if (to === name || trail.includes(to)) {
        const circle = [...trail, name, to].slice([...trail, name].indexOf(to)).join(" → ");
        say(pass, at.pointer, at.block, `subflows call each other in a cycle: ${circle}`);
      } else follow(to, [...trail, name]);
    }
    done.add(name);
  };
  for (const name of calls.keys()) follow(name, []);
}
