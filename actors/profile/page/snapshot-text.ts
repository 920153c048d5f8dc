/** The text of a snapshot: accessibility nodes as indented lines, one an element, without the nodes that say nothing. */
import type { Protocol } from "../cdp/session.ts";

type AxNode = Protocol.Accessibility.AXNode;

/** The accessibility nodes of one frame, and what its nodes lead to. */
export interface FrameNodes {
  nodes: AxNode[];
  /** The id that callers get for an element of this frame. */
  idOf(backendNodeId: number): number;
  /** The frame that an element holds, by the element's node. */
  children: Map<number, FrameNodes>;
}

/** Text of which no line is its own: it joins the line of the element around it, or becomes a line there. */
interface TextRun {
  text: string;
  /** The nearest element without a line of its own: what to click to click the text. */
  holder: number | null;
  frame: FrameNodes;
}
type Item = { run: TextRun } | { lines: string[] };

/** Roles that are passed through: their children stand in their place. */
const silentRoles = new Set([
  "none",
  "generic",
  "presentation",
  "MenuListPopup",
  "LayoutTable",
  "LayoutTableRow",
  "LayoutTableCell",
]);
const droppedRoles = new Set(["InlineTextBox", "ListMarker", "LineBreak"]);
const roleNames: Readonly<Record<string, string>> = {
  Iframe: "iframe",
  RootWebArea: "document",
  SvgRoot: "image",
};
const urlCharsMax = 200;

/** All lines below the tab's first. Indented by two spaces a level. */
export function snapshotLines(root: FrameNodes): string[] {
  return linesOf(itemsOfFrame(root), "");
}

function itemsOfFrame(frame: FrameNodes): Item[] {
  const byId = new Map(frame.nodes.map((node) => [node.nodeId, node]));
  const top = frame.nodes[0];
  return top === undefined ? [] : childItems(frame, byId, top, null);
}

function childItems(
  frame: FrameNodes,
  byId: Map<string, AxNode>,
  parent: AxNode,
  holder: number | null,
): Item[] {
  const items: Item[] = [];
  for (const id of parent.childIds ?? []) {
    const node = byId.get(id);
    if (node !== undefined) items.push(...itemsOf(frame, byId, node, holder));
  }
  return items;
}

function itemsOf(frame: FrameNodes, byId: Map<string, AxNode>, node: AxNode, holder: number | null): Item[] {
  const role = String(node.role?.value ?? "none");
  if (droppedRoles.has(role)) return [];
  if (role === "StaticText") {
    const text = tidy(node.name?.value);
    return text === "" ? [] : [{ run: { text, holder, frame } }];
  }
  const name = tidy(node.name?.value);
  const silent = node.ignored || (silentRoles.has(role) && name === "" && !has(node, "focusable"));
  if (silent) return childItems(frame, byId, node, node.backendDOMNodeId ?? holder);
  return [{ lines: elementLines(frame, byId, node, roleNames[role] ?? role, name) }];
}

function elementLines(
  frame: FrameNodes,
  byId: Map<string, AxNode>,
  node: AxNode,
  role: string,
  name: string,
): string[] {
  const element = node.backendDOMNodeId;
  // Before its children: ids rise as the lines go down.
  const id = element === undefined ? "" : ` [id=${frame.idOf(element)}]`;
  const inner = element === undefined ? undefined : frame.children.get(element);
  const items = inner === undefined ? childItems(frame, byId, node, null) : itemsOfFrame(inner);
  const value = tidy(node.value?.value);
  const said = `${name}\n${value}`;
  const rest = items.filter((item) => !("run" in item) || !said.includes(item.run.text));
  let head = role;
  if (name !== "") head += ` ${JSON.stringify(name)}`;
  head += id;
  if (value !== "" && value !== name) head += ` value=${JSON.stringify(value)}`;
  head += statesOf(node, role);
  if (rest.length > 0 && rest.every((item) => "run" in item)) {
    return [`${head}: ${rest.map((item) => ("run" in item ? item.run.text : "")).join(" ")}`];
  }
  return [head, ...linesOf(rest, "  ")];
}

/** Neighbouring runs of one holder are one line. */
function linesOf(items: Item[], indent: string): string[] {
  const lines: string[] = [];
  let holder: number | null = null;
  let texts: string[] = [];
  let frame: FrameNodes | null = null;
  const close = () => {
    if (frame === null) return;
    const id = holder === null ? "" : ` [id=${frame.idOf(holder)}]`;
    lines.push(`${indent}text ${JSON.stringify(texts.join(" "))}${id}`);
    frame = null;
  };
  for (const item of items) {
    if (!("run" in item)) {
      close();
      for (const line of item.lines) lines.push(indent + line);
      continue;
    }
    if (frame !== item.run.frame || holder !== item.run.holder) {
      close();
      ({ frame, holder } = item.run);
      texts = [];
    }
    texts.push(item.run.text);
  }
  close();
  return lines;
}

function statesOf(node: AxNode, role: string): string {
  let states = "";
  for (const { name, value } of node.properties ?? []) {
    const is = value.value as unknown; // Any JSON; looked at below.
    const on = is === true || is === "true";
    if (name === "checked" || name === "pressed") {
      if (on) states += ` ${name}`;
      else if (is === "mixed") states += ` ${name}=mixed`;
    } else if (name === "expanded") states += on ? " expanded" : " collapsed";
    else if (name === "level" && (role === "heading" || role === "treeitem")) states += ` level=${is}`;
    else if (name === "invalid" && is !== "false" && is !== false) states += " invalid";
    else if (name === "url" && role === "link") states += urlOf(is);
    else if (plainStates.has(name) && on) states += ` ${name}`;
  }
  return states;
}

const plainStates = new Set<string>([
  "disabled",
  "required",
  "selected",
  "focused",
  "readonly",
  "busy",
  "modal",
]);

function urlOf(url: unknown): string {
  if (typeof url !== "string" || url === "") return "";
  return ` url=${url.length > urlCharsMax ? `${url.slice(0, urlCharsMax)}…` : url}`;
}

function has(node: AxNode, property: string): boolean {
  return (node.properties ?? []).some(({ name, value }) => name === property && value.value === true);
}

function tidy(text: unknown): string {
  return text === undefined || text === null ? "" : String(text).replace(/\s+/g, " ").trim();
}
