/** The verb check: gives a checkbox, switch or radio button a state, by a click where it has another. */
import { click } from "./click.ts";
import { afterInput, callOn, type Element, withControl } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { checkState } from "./in-page-forms.ts";
import { accepted } from "./through-frames.ts";
import type { Work } from "./work.ts";

interface State {
  checked: boolean | null;
  radio: boolean;
}

/** A page may show the new state only after it has drawn. */
const takenMs = 1_000;

export const work: Work<"check"> = ({ onElement }, { node_id: nodeId, checked }) =>
  onElement(nodeId, (element) => check(element, nodeId, checked));

/** Throws `conflict` when it is no such control, cannot be clicked, or does not have the state afterwards. */
async function check(element: Element, nodeId: number, wanted: boolean): Promise<void> {
  const stateWithin = (ms: number) =>
    callOn<State | Refusal>(element, checkState, [{ value: wanted }, { value: ms }]);
  const before = accepted(nodeId, await stateWithin(0));
  if (before.checked === wanted) return;
  if (before.radio && !wanted) throw refusalFault(nodeId, { error: "radio" });
  const clicked = async () => {
    // A click on a label may meet a link in it.
    await withControl(element, nodeId, (control) => click(control, nodeId));
    const state = await afterInput(() => stateWithin(takenMs));
    // The page has used the click when it has put another control in its place.
    const replaced = state === null || ("error" in state && state.error === "gone");
    return replaced ? null : accepted(nodeId, state);
  };
  const once = await clicked();
  // A mixed one may become checked first.
  const other = before.checked === null && once?.checked === !wanted;
  const after = other ? await clicked() : once;
  if (after !== null && after.checked !== wanted)
    throw refusalFault(nodeId, { error: "state-not-taken", reason: wanted ? "checked" : "unchecked" });
}
