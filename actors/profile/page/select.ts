/** The verb select: chooses options of a select, or of a list that the page draws itself. */
import { click } from "./click.ts";
import { afterInput, callOn, type Element, elementFrom, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { nextTask } from "./in-page.ts";
import {
  chooseOptions,
  chosenOptions,
  optionNamed,
  optionState,
  shownList,
  showsChoice,
  unwantedOptions,
} from "./in-page-forms.ts";
import { accepted } from "./through-frames.ts";
import type { Work } from "./work.ts";

interface Chosen {
  values: string[];
}

interface OptionState {
  chosen: boolean;
  several: boolean;
  value: string;
}

const isInDocument = "function () { return this.isConnected; }";

const opensMs = 2_000;
const takenMs = 1_000;

export const work: Work<"select"> = async ({ onElement }, { node_id: nodeId, values }) => ({
  values, // Of the request, when the choice closes the tab.
  ...(await onElement(nodeId, async (element) => ({ values: await select(element, nodeId, values) }))),
});

/** Returns the values of the chosen options. Throws `conflict` when one is missing, or the page does not keep the choice. */
async function select(element: Element, nodeId: number, wanted: string[]): Promise<string[]> {
  const answer = await callOn<Chosen | { custom: true } | Refusal>(element, chooseOptions, [
    { value: wanted },
    { value: opensMs },
  ]);
  const done = accepted(nodeId, answer);
  if ("custom" in done) return selectInList(element, nodeId, wanted);
  const now = await afterInput(async () => {
    await element.frame.session.send("Runtime.evaluate", { expression: nextTask, awaitPromise: true });
    return callOn<Chosen | null>(element, chosenOptions);
  });
  if (now !== null && now.values.join("\n") !== done.values.join("\n"))
    throw refusalFault(nodeId, { error: "choice-not-kept", reason: JSON.stringify(now.values) });
  return done.values;
}

async function selectInList(element: Element, nodeId: number, wanted: string[]): Promise<string[]> {
  const values: string[] = [];
  for (const name of wanted)
    values.push(await inList(element, nodeId, (list) => choose(element, list, nodeId, name, wanted.length)));
  if (wanted.length === 1) return values;
  await inList(element, nodeId, async (list) => {
    for (const name of await callOn<string[]>(list, unwantedOptions, [{ value: wanted }]))
      await clickOption(list, nodeId, name);
    for (const name of wanted) {
      const state = await callOn<OptionState | Refusal>(list, optionState, [{ value: name }]);
      if (!("chosen" in state && state.chosen)) throw refusalFault(nodeId, { error: "one-option" });
    }
  });
  return values;
}

/** Works in the element's list, which is opened if it is not shown. */
async function inList<T>(element: Element, nodeId: number, use: (list: Element) => Promise<T>): Promise<T> {
  let list = await elementFrom(element, shownList, [{ value: 0 }]);
  if (list === null) {
    await click(element, nodeId);
    list = await elementFrom(element, shownList, [{ value: opensMs }]);
  }
  if (list === null) throw refusalFault(nodeId, { error: "not-opened" });
  try {
    return await use(list);
  } finally {
    release(list);
  }
}

async function choose(
  element: Element,
  list: Element,
  nodeId: number,
  name: string,
  count: number,
): Promise<string> {
  const state = accepted(nodeId, await callOn<OptionState | Refusal>(list, optionState, [{ value: name }]));
  if (count > 1 && !state.several) throw refusalFault(nodeId, { error: "one-option" });
  if (state.chosen) return state.value;
  await clickOption(list, nodeId, name);
  const kept = await afterInput(async () => {
    const after = await callOn<OptionState | Refusal>(list, optionState, [{ value: name }]);
    if ("chosen" in after && after.chosen) return true;
    return callOn<boolean>(element, showsChoice, [{ value: name }, { value: takenMs }]);
  });
  if (kept === false) throw refusalFault(nodeId, { error: "choice-not-kept" });
  return state.value;
}

async function clickOption(list: Element, nodeId: number, name: string): Promise<void> {
  for (let tries = 3; ; tries--) {
    const option = await elementFrom(list, optionNamed, [{ value: name }]);
    if (option === null) throw refusalFault(nodeId, { error: "gone" });
    try {
      await click(option, nodeId);
      return;
    } catch (error) {
      // A list that draws only what is in view makes it anew when it is scrolled into the view.
      if (tries === 1 || (await callOn<boolean>(option, isInDocument))) throw error;
    } finally {
      release(option);
    }
  }
}
