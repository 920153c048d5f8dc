/** One frame's accessibility tree, reduced to what a snapshot shows. Its subtrees can be replaced. */
import type { Protocol } from "../cdp/session.ts";

type RawNode = Protocol.Accessibility.AXNode;

export interface AxNode {
  id: string;
  role: string;
  name: string;
  value: string;
  /** As printed in a line, each with a space before it. */
  states: string;
  ignored: boolean;
  focusable: boolean;
  childIds: readonly string[];
  /** Its DOM node; null for nodes of the layout only. */
  element: number | null;
}

const droppedRoles = new Set(["InlineTextBox", "ListMarker", "LineBreak"]);
const none: readonly string[] = [];
/** Fields with a picker, which the browser draws outside the page, where no verb reaches: its content comes second, and is left out. */
const ownParts = new Map([
  ["Date", 1],
  ["DateTime", 1],
  ["InputTime", 1],
  ["ColorWell", 0],
]);
/** Elements that show what is in them. */
const holders = new Set([
  "article",
  "complementary",
  "form",
  "generic",
  "group",
  "list",
  "listitem",
  "main",
  "region",
  "row",
  "table",
]);
const silent = { role: "none", name: "", value: "", states: "", ignored: true, focusable: false };
const urlCharsMax = 200;

export class AxTree {
  readonly #byId = new Map<string, AxNode>();
  readonly root: AxNode | undefined;
  /** How often a subtree was replaced. */
  revision = 0;

  constructor(nodes: readonly RawNode[]) {
    for (const node of nodes) this.#add(node);
    this.root = nodes[0] === undefined ? undefined : this.#byId.get(nodes[0].nodeId);
  }

  get(id: string): AxNode | undefined {
    return this.#byId.get(id);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Whether an element shows nothing: it may have content that is not rendered. */
  hasHollow(): boolean {
    for (const { role, ignored, childIds, element } of this.#byId.values())
      if (!ignored && childIds.length === 0 && element !== null && holders.has(role)) return true;
    return false;
  }

  /** Replaces a subtree by `nodes`, the top first. Returns false and does nothing when the subtree is unknown. */
  replace(nodes: readonly RawNode[]): boolean {
    const top = nodes[0];
    if (top === undefined) return false;
    const parent = this.#byId.get(top.parentId ?? "");
    const old = this.#byId.get(top.nodeId);
    if (old === undefined || parent?.childIds.includes(top.nodeId) !== true) return false;
    this.#remove(old);
    for (const node of nodes) this.#add(node);
    this.revision += 1;
    return true;
  }

  /** Whether the node is in the tree and would print the same. */
  shows(node: RawNode): boolean {
    const known = this.#byId.get(node.nodeId);
    if (known === undefined) return node.ignored;
    const now = shownOf(node);
    return (
      known.role === now.role &&
      known.name === now.name &&
      known.value === now.value &&
      known.states === now.states &&
      known.ignored === now.ignored &&
      known.childIds.join() === now.childIds.join()
    );
  }

  #add(node: RawNode): void {
    if (!droppedRoles.has(roleOf(node))) this.#byId.set(node.nodeId, shownOf(node));
  }

  #remove(node: AxNode): void {
    this.#byId.delete(node.id);
    for (const id of node.childIds) {
      const child = this.#byId.get(id);
      if (child !== undefined) this.#remove(child);
    }
  }
}

function roleOf(node: RawNode): string {
  return String(node.role?.value ?? "none");
}

function shownOf(node: RawNode): AxNode {
  const role = roleOf(node);
  // A query, unlike a full fetch, gives an ignored node a role and name.
  if (node.ignored)
    return {
      ...silent,
      id: node.nodeId,
      childIds: node.childIds ?? none,
      element: node.backendDOMNodeId ?? null,
    };
  return {
    id: node.nodeId,
    role,
    name: tidy(node.name?.value),
    value: tidy(node.value?.value),
    states: statesOf(node, role),
    ignored: false,
    focusable: (node.properties ?? []).some(
      ({ name, value }) => name === "focusable" && value.value === true,
    ),
    childIds:
      role === "StaticText" || node.childIds === undefined
        ? none
        : node.childIds.slice(0, ownParts.get(role)),
    element: node.backendDOMNodeId ?? null,
  };
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

function statesOf(node: RawNode, role: string): string {
  let states = "";
  for (const { name, value } of node.properties ?? []) {
    const is = value.value as unknown; // Any JSON.
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
  // The root has the focus when no element has it.
  return role === "RootWebArea" ? states.replace(" focused", "") : states;
}

function urlOf(url: unknown): string {
  if (typeof url !== "string" || url === "") return "";
  return ` url=${url.length > urlCharsMax ? `${url.slice(0, urlCharsMax)}…` : url}`;
}

function tidy(text: unknown): string {
  if (text === undefined || text === null) return "";
  const words = String(text);
  return untidy.test(words)
    ? words
        .replace(/[\uE000-\uF8FF]/g, "")
        .replace(/\s+/g, " ")
        .trim()
    : words;
}

/** Few of the many texts need tidying. Characters of the private use areas are icons of a font. */
const untidy = /\s\s|[^\S ]|^\s|\s$|[\uE000-\uF8FF]/;
