/** The faults of page verbs. */
import { Fault, quoting, type Worded, worded } from "../../../protocol/faults.ts";
import type { MetDialog } from "../../../protocol/verb.ts";
import { CdpError } from "../cdp/session.ts";

/** A refusal by a function of `in-page.ts`. */
export interface Refusal {
  error:
    | "gone"
    | "not-element"
    | "option"
    | "open-option"
    | "suggestion"
    | "disabled"
    | "hidden"
    | "outside"
    | "covered"
    | "changed"
    | "slipped"
    | "inert"
    | "unreached"
    | "read-only"
    | "not-focusable"
    | "frame"
    | "unfelt"
    | "not-taken"
    | "lost"
    | "left"
    | "not-cleared"
    | "not-number"
    | "not-date"
    | "no-date"
    | "no-text"
    | "cut"
    | "not-file-input"
    | "folder-input"
    | "one-file"
    | "own-picker"
    | "not-checkable"
    | "radio"
    | "state-not-taken"
    | "not-list"
    | "not-opened"
    | "one-option"
    | "no-option"
    | "option-disabled"
    | "choice-not-kept"
    | "no-drop";
  what?: string;
  by?: string;
  reason?: string;
}

/** For a field without text, by its type. */
const remedies: Record<string, string> = {
  checkbox: "use check",
  radio: "use check",
  file: "use set-file",
  range: "press its arrow keys, Home or End with press-key, or drag to a position in it",
  color: "set its value with evaluate",
};

export function refusalFault(nodeId: number, refusal: Refusal): Fault {
  const it =
    refusal.what === undefined
      ? worded`element ${nodeId}`
      : worded`element ${nodeId}, ${quoting(refusal.what)},`;
  const hasNow =
    refusal.reason === undefined ? "" : worded`; it has ${quoting(JSON.stringify(refusal.reason))} now`;
  const texts: Record<Refusal["error"], Worded> = {
    gone: worded`${it} is gone: the page has changed since its id was read; take a new snapshot`,
    "not-element": worded`node ${nodeId} is not an element`,
    option: worded`element ${nodeId} is an option of a closed list; click the list, then choose with the arrow keys and Enter`,
    "open-option": worded`element ${nodeId} is an option of an open list, which the browser draws outside the page; choose with the arrow keys and Enter`,
    suggestion: worded`element ${nodeId} is a suggestion of a field and not shown in the page; type it into the field`,
    disabled: worded`${it} is disabled`,
    hidden: worded`${it} is hidden: ${refusal.reason ?? "it is not shown"}`,
    outside: worded`${it} lies outside the page and cannot be scrolled into view`,
    covered: worded`${it} is covered by ${refusal.by === undefined ? "another element" : quoting(refusal.by)}`,
    changed: worded`${it} was clicked ${refusal.reason ?? "once"}; then the page had ${refusal.by === undefined ? "another element" : quoting(refusal.by)} there, and the next click was stopped`,
    slipped: worded`${it} moved from under the mouse before the button was released, so that the page got no click; it may show something new, so look at it and click again`,
    inert: worded`${it} is inert: the page takes no input there now`,
    unreached: worded`${it} did not receive the mouse; the page may be busy, so try again`,
    "read-only": worded`${it} is read-only`,
    "no-date": worded`${it} shows no whole date or time now: a part is missing, or there is no such day; type all its digits in the order in which it shows its parts, or into each part by its own id`,
    "no-text": worded`${it} takes no text: ${remedies[refusal.reason ?? ""] ?? "use click"}`,
    "folder-input": worded`${it} takes a folder, and set-file gives it files`,
    "own-picker": worded`${it} opened the picker of the page's showOpenFilePicker, to which no file can be given; a page often has a file input or takes a drop as well`,
    "one-file": worded`${it} takes one file only`,
    "not-file-input": worded`${it} is not a file input, and opened no file chooser when it was clicked`,
    "not-focusable": worded`${it} cannot take the keyboard focus`,
    frame: worded`${it} is a frame without an editable document; type into an element in it`,
    unfelt: worded`${it} did not receive the keys; the page may be busy, so try again`,
    "not-taken": worded`${it} did not take the text and shows the same as before; it may be full or take other characters`,
    lost: worded`${it} left out a part of the text${hasNow}; it may be full or take other characters`,
    left: worded`${it} lost the keyboard focus while it was typed into, and the rest of the text went nowhere${hasNow}; look at the page and type again`,
    "not-cleared": worded`${it} keeps its text: the page does not let it be emptied`,
    "not-date": worded`${it} shows ${quoting(JSON.stringify(refusal.reason ?? ""))} now: it takes the digits in the order in which it shows its parts; type them so, or into each part by its own id`,
    "not-number": worded`${it} takes a number, and left out the other characters of the text${hasNow}`,
    cut: worded`${it} takes at most ${refusal.reason ?? "some"} characters (maxlength), and left out the rest of the text`,
    "not-checkable": worded`${it} is no checkbox, switch or radio button`,
    radio: worded`${it} is a radio button, which is unchecked only by checking another one`,
    "state-not-taken": worded`${it} was clicked and is not ${refusal.reason ?? "changed"} afterwards; the page may refuse it`,
    "not-list": worded`${it} is no select, listbox or combobox; click it, then click the option`,
    "not-opened": worded`${it} was clicked and shows no list of options; if it lists them as one types, type a part of the option first; else take a snapshot and click the option`,
    "one-option": worded`${it} takes exactly one option`,
    "no-option": worded`${it} has no option ${quoting(refusal.by ?? "")}; it has ${quoting(refusal.reason || "none")}`,
    "option-disabled": worded`the option ${quoting(refusal.by ?? "")} of ${it} is disabled`,
    "no-drop": worded`the page took no drop on element ${nodeId}: the drag ended there and changed nothing; another element may take it`,
    "choice-not-kept": worded`${it} did not keep the choice; it has ${quoting(refusal.reason ?? "another one")}`,
  };
  return new Fault("conflict", texts[refusal.error]);
}

export function crashed(): Fault {
  return new Fault("conflict", "the page has crashed; navigate to bring it back");
}

const dialogCharsMax = 200;
const dialogsNamedMax = 5;

/** The fault of an error during a verb. Its message includes the dialogs, as a fault has no field for them. */
export function verbFault(verb: string, error: unknown, met: readonly MetDialog[]): Fault {
  const fault = faultOf(verb, error);
  if (met.length === 0) return fault;
  const said = met
    .slice(0, dialogsNamedMax)
    .map(({ type, message }) => worded`${type} ${quoting(JSON.stringify(message.slice(0, dialogCharsMax)))}`);
  const listed = said.reduce((before, one) => worded`${before}, ${one}`);
  const more = met.length > dialogsNamedMax ? ", and more dialogs" : "";
  return fault.adding(worded`; meanwhile the page showed: ${listed}${more}`);
}

function faultOf(verb: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!(error instanceof CdpError)) {
    return new Fault(
      "internal",
      `${verb}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  switch (error.failure) {
    case "browser-gone":
      return new Fault("conflict", `the browser ended during ${verb}`);
    case "session-closed":
      return new Fault("conflict", `the tab was closed during ${verb}`);
    case "page-crashed":
      return crashed();
    case "overdue":
      return new Fault("conflict", `the page did not answer during ${verb}; a script in it may be busy`);
    case "refused":
      if (error.message.endsWith("Target crashed")) return crashed();
      return navigatedAway.test(error.message)
        ? new Fault("conflict", `the page changed during ${verb}`)
        : new Fault("internal", `${verb}: ${error.stack ?? error.message}`);
  }
}

const navigatedAway =
  /context with specified id|navigated or closed|context was destroyed|Not attached to an active page|No frame|No node|not find node|Promise was collected/i;
