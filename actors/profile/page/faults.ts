/** The faults of page verbs. */
import { Fault } from "../../../protocol/faults.ts";
import type { MetDialog } from "../../../protocol/requests.ts";
import { CdpError } from "../cdp/session.ts";

/** A refusal by a function of `in-page.ts`. */
export interface Refusal {
  error:
    | "gone"
    | "not-element"
    | "option"
    | "disabled"
    | "hidden"
    | "moving"
    | "outside"
    | "covered"
    | "unreached"
    | "read-only"
    | "not-focusable"
    | "not-file-input";
  what?: string;
  by?: string;
  reason?: string;
}

export function refusalFault(nodeId: number, refusal: Refusal): Fault {
  const it = `element ${nodeId}${refusal.what === undefined ? "" : `, ${refusal.what},`}`;
  const texts: Record<Refusal["error"], string> = {
    gone: `${it} is gone: the page has changed since its id was read; take a new snapshot`,
    "not-element": `node ${nodeId} is not an element`,
    option: `element ${nodeId} is an option of a closed list; click the list, then choose with the arrow keys and Enter`,
    disabled: `${it} is disabled`,
    hidden: `${it} is hidden: ${refusal.reason ?? "it is not shown"}`,
    moving: `${it} does not stop moving`,
    outside: `${it} lies outside the page and cannot be scrolled into view`,
    covered: `${it} is covered by ${refusal.by ?? "another element"}`,
    unreached: `${it} did not receive the mouse; the page may be busy, so try again`,
    "read-only": `${it} is read-only`,
    "not-file-input": `${it} is not a file input`,
    "not-focusable": `${it} cannot take the keyboard focus`,
  };
  return new Fault("conflict", texts[refusal.error]);
}

export function crashed(): Fault {
  return new Fault("conflict", "the page has crashed; navigate to bring it back");
}

const dialogCharsMax = 200;

/** The fault of an error during a verb. Its message includes the dialogs, as a fault has no field for them. */
export function verbFault(verb: string, error: unknown, met: readonly MetDialog[]): Fault {
  const fault = faultOf(verb, error);
  if (met.length === 0) return fault;
  const said = met.map(({ type, message }) => `${type} ${JSON.stringify(message.slice(0, dialogCharsMax))}`);
  return new Fault(
    fault.kind,
    `${fault.message}; meanwhile the page showed: ${said.join(", ")}`,
    fault.detail,
  );
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
  /context with specified id|navigated or closed|context was destroyed|No frame|No node|not find node|Promise was collected/i;
