/** Keyboard input: named keys, and text into the focused element. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { focusForTyping } from "./in-page.ts";
import type { InputEvent } from "./input.ts";
import type { Tab } from "./tabs.ts";

interface Key {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  text?: string;
}

/** The keys of press-key (protocol/README.md, "Page driving"), as on a US keyboard. */
const namedKeys: Readonly<Record<string, Key>> = {
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Escape: { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 },
  ArrowUp: { key: "ArrowUp", code: "ArrowUp", windowsVirtualKeyCode: 38 },
  ArrowDown: { key: "ArrowDown", code: "ArrowDown", windowsVirtualKeyCode: 40 },
  ArrowLeft: { key: "ArrowLeft", code: "ArrowLeft", windowsVirtualKeyCode: 37 },
  ArrowRight: { key: "ArrowRight", code: "ArrowRight", windowsVirtualKeyCode: 39 },
  Backspace: { key: "Backspace", code: "Backspace", windowsVirtualKeyCode: 8 },
  Delete: { key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 },
  Space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
};

/** Presses one named key. Throws `invalid` for an unknown name. */
export async function pressKey(tab: Tab, name: string): Promise<void> {
  const key = namedKeys[name];
  if (key === undefined) {
    throw new Fault("invalid", `key must be one of ${Object.keys(namedKeys).join(", ")}, got ${name}`);
  }
  await tab.input.give(stroke(key));
}

/** Focuses the element and types. Characters outside the US keyboard cause only `input` events. Throws `conflict` if it is not editable. */
export async function type(element: Element, nodeId: number, text: string): Promise<void> {
  const focused = await callOn<Record<string, never> | Refusal>(element, focusForTyping);
  if ("error" in focused) throw refusalFault(nodeId, focused as Refusal);
  const { tab } = element;
  const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(
    text.slice(0, limits.typedKeysMax),
  );
  const events: InputEvent[] = [];
  let taken = 0;
  for (const { segment } of clusters) {
    const last = taken + segment.length >= limits.typedKeysMax;
    if (last && text.length > limits.typedKeysMax) break; // It may be half of a cluster.
    taken += segment.length;
    events.push(...eventsOf(segment));
  }
  if (taken < text.length) events.push(inserted(text.slice(taken)));
  await tab.input.give(events);
}

function eventsOf(cluster: string): InputEvent[] {
  const key = /^(\r\n|\r|\n)$/.test(cluster) ? namedKeys.Enter : usSigns.get(cluster);
  return key === undefined ? [inserted(cluster)] : stroke(key);
}

const inserted = (text: string): InputEvent => ({ method: "Input.insertText", params: { text } });

const usKeys: readonly (readonly [code: string, virtualKeyCode: number, plain: string, shifted: string])[] = [
  ["Backquote", 192, "`", "~"],
  ["Minus", 189, "-", "_"],
  ["Equal", 187, "=", "+"],
  ["BracketLeft", 219, "[", "{"],
  ["BracketRight", 221, "]", "}"],
  ["Backslash", 220, "\\", "|"],
  ["Semicolon", 186, ";", ":"],
  ["Quote", 222, "'", '"'],
  ["Comma", 188, ",", "<"],
  ["Period", 190, ".", ">"],
  ["Slash", 191, "/", "?"],
  ["Space", 32, " ", " "],
  ...[..."0123456789"].map(
    (digit, at) => [`Digit${digit}`, 48 + at, digit, ")!@#$%^&*(".charAt(at)] as const,
  ),
  ...[..."abcdefghijklmnopqrstuvwxyz"].map(
    (letter, at) => [`Key${letter.toUpperCase()}`, 65 + at, letter, letter.toUpperCase()] as const,
  ),
];

const usSigns = new Map<string, Key & { shift: boolean }>(
  usKeys.flatMap(([code, windowsVirtualKeyCode, plain, shifted]) => [
    [shifted, { key: shifted, code, windowsVirtualKeyCode, text: shifted, shift: true }] as const,
    [plain, { key: plain, code, windowsVirtualKeyCode, text: plain, shift: false }] as const,
  ]),
);

function stroke(key: Key & { shift?: boolean }): InputEvent[] {
  const { text, shift, ...named } = key;
  const common = { ...named, modifiers: shift === true ? 8 : 0 };
  const down = text === undefined ? { type: "rawKeyDown" as const } : { type: "keyDown" as const, text };
  return [
    { method: "Input.dispatchKeyEvent", params: { ...common, ...down } },
    { method: "Input.dispatchKeyEvent", params: { ...common, type: "keyUp" } },
  ];
}
