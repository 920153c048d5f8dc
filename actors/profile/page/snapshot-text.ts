/** The text of a snapshot: accessibility nodes as indented lines, one per element, without nodes that add nothing. */
import type { AxNode, AxTree } from "./ax-tree.ts";

export interface FrameNodes {
  tree: AxTree;
  /** The first node; undefined shows nothing. `showTop` gives it a line of its own. */
  top: AxNode | undefined;
  showTop: boolean;
  idOf(backendNodeId: number): number;
  children: Map<number, FrameNodes>;
}

export interface Line {
  head: string;
  role: string;
  named: boolean;
  active: boolean;
  below: Line[];
}

/** Text without a line of its own: it is added to the element's line, or becomes a line in it. */
interface TextRun {
  text: string;
  holder: number | null;
  frame: FrameNodes;
}
type Item = TextRun | Line;

const silentRoles = new Set([
  "none",
  "generic",
  "presentation",
  "MenuListPopup",
  "LayoutTable",
  "LayoutTableRow",
  "LayoutTableCell",
]);
const roleNames: Readonly<Record<string, string>> = {
  DisclosureTriangle: "summary",
  Figcaption: "caption",
  LabelText: "label",
  RootWebArea: "document",
  SvgRoot: "image",
};
const activeRoles = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

/** All lines below the tab's line. */
export function linesOfFrame(root: FrameNodes): Line[] {
  return joined(itemsOfFrame(root));
}

function itemsOfFrame(frame: FrameNodes): Item[] {
  const items: Item[] = [];
  if (frame.top === undefined) return items;
  if (frame.showTop) addItems(items, frame, frame.top, null);
  else addChildItems(items, frame, frame.top, null);
  return items;
}

function addChildItems(items: Item[], frame: FrameNodes, parent: AxNode, holder: number | null): void {
  for (const id of parent.childIds) {
    const node = frame.tree.get(id);
    if (node !== undefined) addItems(items, frame, node, holder);
  }
}

function addItems(items: Item[], frame: FrameNodes, node: AxNode, holder: number | null): void {
  if (node.role === "StaticText") {
    if (node.name !== "") items.push({ text: node.name, holder, frame });
    return;
  }
  const silent = node.ignored || (silentRoles.has(node.role) && node.name === "" && !node.focusable);
  if (silent) addChildItems(items, frame, node, node.element ?? holder);
  else items.push(lineOf(frame, node));
}

function lineOf(frame: FrameNodes, node: AxNode): Line {
  const { element, name, value } = node;
  const role = roleNames[node.role] ?? node.role.toLowerCase();
  // Assign the id before the children's, so that ids rise from line to line.
  const id = element === null ? "" : ` [id=${frame.idOf(element)}]`;
  const inner = element === null ? undefined : frame.children.get(element);
  let items: Item[] = [];
  if (inner === undefined) addChildItems(items, frame, node, null);
  else items = itemsOfFrame(inner);
  const rest = items.filter(
    (item) => !("text" in item) || !(name.includes(item.text) || value.includes(item.text)),
  );
  let head = role;
  if (name !== "") head += ` ${JSON.stringify(name)}`;
  head += id;
  if (value !== "" && value !== name) head += ` value=${JSON.stringify(value)}`;
  head += node.states;
  const active = activeRoles.has(role) || (node.focusable && role !== "document" && role !== "iframe");
  const line = { head, role, named: name !== "", active, below: [] as Line[] };
  if (rest.length > 0 && rest.every((item) => "text" in item)) {
    line.head += `: ${rest.map((item) => ("text" in item ? item.text : "")).join(" ")}`;
  } else line.below = joined(rest);
  return line;
}

function joined(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let last: TextRun | null = null;
  let texts: string[] = [];
  const close = () => {
    if (last === null) return;
    const id = last.holder === null ? "" : ` [id=${last.frame.idOf(last.holder)}]`;
    const head = `text ${JSON.stringify(texts.join(" "))}${id}`;
    lines.push({ head, role: "text", named: true, active: false, below: [] });
    last = null;
  };
  for (const item of items) {
    if (!("text" in item)) {
      close();
      lines.push(item);
      continue;
    }
    if (last?.frame !== item.frame || last.holder !== item.holder) {
      close();
      last = item;
      texts = [];
    }
    texts.push(item.text);
  }
  close();
  return lines;
}
