/** The text of a snapshot: accessibility nodes as indented lines, one per element, without nodes that add nothing. */
import type { AxNode, AxTree } from "./ax-tree.ts";

export interface FrameNodes {
  tree: AxTree;
  /** The first node; undefined shows nothing. `showTop` gives it a line of its own. */
  top: AxNode | undefined;
  showTop: boolean;
  idOf(backendNodeId: number): number;
  children: Map<number, FrameNodes>;
  /** Elements whose content is not rendered (`content-visibility: auto`), if they show none. */
  unrendered?: ReadonlySet<number>;
  /** Elements that the mouse shows to be clickable, and no role. */
  clickable?: ReadonlySet<number>;
}

export interface Line {
  head: string;
  role: string;
  /** Of its element, or of the element around a text. */
  id: number | null;
  named: boolean;
  active: boolean;
  /** By the mouse over it only: all that is in it tells what it is. */
  clickable: boolean;
  below: Line[];
  /** Its part of a name that comes from content: its own name, or the text in it. */
  words(): string;
}

/** Text without a line of its own: it is added to the element's line, or becomes a line in it. */
interface TextRun {
  text: string;
  holder: number | null;
  frame: FrameNodes;
}
type Item = TextRun | Line;

/** Roles that add nothing without a name. */
const silentRoles = new Set(["none", "generic", "presentation"]);
/** The browser's own roles, which have capitals, by the usual word. Any other is generic. */
const roleNames: Readonly<Record<string, string>> = {
  Abbr: "abbreviation",
  Audio: "audio",
  Canvas: "canvas",
  ColorWell: "color",
  Date: "date",
  DateTime: "datetime",
  DescriptionList: "list",
  DisclosureTriangle: "summary",
  DisclosureTriangleGrouped: "summary",
  EmbeddedObject: "object",
  Figcaption: "caption",
  Iframe: "iframe",
  IframePresentational: "iframe",
  InputTime: "time",
  LabelText: "label",
  LayoutTable: "table",
  LayoutTableCell: "cell",
  LayoutTableRow: "row",
  Legend: "legend",
  MathMLMath: "math",
  PluginObject: "object",
  RootWebArea: "document",
  SvgRoot: "image",
  Video: "video",
};
/** A table that only arranges its content, and its parts. */
const layoutRoles = new Set(["LayoutTable", "LayoutTableRow", "LayoutTableCell"]);
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
  if (isSilent(node) && !isUnrendered(frame, node) && !isClickable(frame, node))
    addChildItems(items, frame, node, node.element ?? holder);
  else items.push(lineOf(frame, node));
}

function isSilent({ role, name, ignored, focusable }: AxNode): boolean {
  if (ignored || focusable) return ignored;
  if (role === "LayoutTableCell") return true; // Its name is its content.
  return name === "" && (silentRoles.has(roleName(role)) || layoutRoles.has(role));
}

function isUnrendered({ unrendered }: FrameNodes, { ignored, childIds, element }: AxNode): boolean {
  return !ignored && childIds.length === 0 && element !== null && unrendered?.has(element) === true;
}

function isClickable({ clickable }: FrameNodes, { element }: AxNode): boolean {
  return element !== null && clickable?.has(element) === true;
}

function roleName(role: string): string {
  return roleNames[role] ?? (/[A-Z]/.test(role) ? "generic" : role);
}

function lineOf(frame: FrameNodes, node: AxNode): Line {
  const { element, name, value } = node;
  const role = node.ignored ? "generic" : roleName(node.role);
  const clickable = isClickable(frame, node);
  // Assign the id before the children's, so that ids rise from line to line.
  const id = element === null ? null : frame.idOf(element);
  const inner = element === null ? undefined : frame.children.get(element);
  let items: Item[] = [];
  if (inner === undefined) addChildItems(items, frame, node, null);
  else items = itemsOfFrame(inner);
  const content = () => items.map((item) => ("text" in item ? item.text : item.words())).join("");
  const isContent = (text: string) => text !== "" && bare(text) === bare(content());
  // Elements in a field's content have lines of their own, so that the value would show their text twice.
  const parted = items.some((item) => !("text" in item)) && isContent(value);
  // Omit the content when the name or value already shows it.
  const said =
    inner === undefined &&
    !parted &&
    items.some((item) => "text" in item) &&
    (isContent(name) || isContent(value));
  const rest = said ? items.filter((item) => !("text" in item)) : items;
  let head = role;
  if (name !== "") head += ` ${JSON.stringify(name)}`;
  if (id !== null) head += ` [id=${id}]`;
  if (value !== "" && value !== name && !parted) head += ` value=${JSON.stringify(value)}`;
  head += node.states;
  if (isUnrendered(frame, node)) head += " unrendered";
  if (clickable) head += " clickable";
  const active =
    clickable || activeRoles.has(role) || (node.focusable && role !== "document" && role !== "iframe");
  const line = {
    head,
    role,
    id,
    named: name !== "",
    active,
    clickable,
    below: [] as Line[],
    words: () => name || content(),
  };
  // Texts in something clickable may be choices, each with its own id.
  const apart = clickable && new Set(rest.map((item) => ("text" in item ? item.holder : null))).size > 1;
  if (rest.length > 0 && !apart && rest.every((item) => "text" in item)) {
    line.head += `: ${rest.map((item) => ("text" in item ? item.text : "")).join(" ")}`;
  } else line.below = joined(rest);
  return line;
}

const bare = (text: string) => text.replace(/\s+/g, "");

function joined(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let last: TextRun | null = null;
  let texts: string[] = [];
  const close = () => {
    if (last === null) return;
    const id = last.holder === null ? null : last.frame.idOf(last.holder);
    const words = texts.join(" ");
    const head = `text ${JSON.stringify(words)}${id === null ? "" : ` [id=${id}]`}`;
    lines.push({
      head,
      role: "text",
      id,
      named: true,
      active: false,
      clickable: false,
      below: [],
      words: () => words,
    });
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
