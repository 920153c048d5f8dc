/** The keys of a US keyboard, and the events that press them. */
import type { PressKeyBody } from "../../../protocol/verbs/press-key.ts";
import type { InputEvent } from "./input.ts";

interface Key {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  text?: string;
}

/** The keys of press-key (protocol/README.md, "Page driving"). */
export const namedKeys: Readonly<Record<PressKeyBody["key"], Key>> = {
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

/** What a user presses for one sign or line break; a sign that no key has is inserted. */
export function eventsOf(cluster: string): InputEvent[] {
  const key = /^(\r\n|\r|\n)$/.test(cluster) ? namedKeys.Enter : usSigns.get(cluster);
  return key === undefined ? [inserted(cluster)] : stroke(key);
}

export const inserted = (text: string): InputEvent => ({ method: "Input.insertText", params: { text } });

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

/** A key pressed and released. */
export function stroke(key: Key & { shift?: boolean }): InputEvent[] {
  const { text, shift, ...named } = key;
  const common = { ...named, modifiers: shift === true ? 8 : 0 };
  const down = text === undefined ? { type: "rawKeyDown" as const } : { type: "keyDown" as const, text };
  return [
    { method: "Input.dispatchKeyEvent", params: { ...common, ...down } },
    { method: "Input.dispatchKeyEvent", params: { ...common, type: "keyUp" } },
  ];
}
