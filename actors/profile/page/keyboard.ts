/** The keys of a US keyboard and those with names, alone and in chords, and the events that press them. */
import { Fault } from "../../../protocol/faults.ts";
import type { InputEvent } from "./input.ts";
import { keyNames } from "./key-names.ts";

interface Key {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  text?: string;
  location?: number;
  /** The key gives this sign with Shift. */
  shift?: boolean;
}

const modifierKeys = {
  Alt: { mask: 1, windowsVirtualKeyCode: 18 },
  Control: { mask: 2, windowsVirtualKeyCode: 17 },
  Meta: { mask: 4, windowsVirtualKeyCode: 91 },
  Shift: { mask: 8, windowsVirtualKeyCode: 16 },
} as const;
export type Modifier = keyof typeof modifierKeys;

/** A key, and the modifiers that are down while it is pressed. */
export interface Chord {
  modifiers: Modifier[];
  key: Key;
}

/** What a user presses for one sign or line break; a sign that no key has is inserted. */
export function eventsOf(cluster: string): InputEvent[] {
  const key = /^(\r\n|\r|\n)$/.test(cluster) ? named("Enter") : usSigns.get(cluster);
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

const usSigns = new Map<string, Key>(
  usKeys.flatMap(([code, windowsVirtualKeyCode, plain, shifted]) => [
    [shifted, { key: shifted, code, windowsVirtualKeyCode, text: shifted, shift: true }] as const,
    [plain, { key: plain, code, windowsVirtualKeyCode, text: plain }] as const,
  ]),
);

const shiftedSigns = new Map(usKeys.map(([, , plain, shifted]) => [plain, shifted]));

/** A key by its name. Undefined for no name. */
function named(name: string): Key | undefined {
  if (isModifier(name)) return modifierKey(name);
  const windowsVirtualKeyCode = keyNames.get(name);
  if (windowsVirtualKeyCode === undefined) return undefined;
  const code = windowsVirtualKeyCode === 0 ? "" : name;
  return { key: name, code, windowsVirtualKeyCode, ...(name === "Enter" ? { text: "\r" } : {}) };
}

function isModifier(name: string): name is Modifier {
  return Object.hasOwn(modifierKeys, name);
}

/** Of the two on a keyboard, the left one. */
function modifierKey(name: Modifier): Key {
  const { windowsVirtualKeyCode } = modifierKeys[name];
  return { key: name, code: `${name}Left`, windowsVirtualKeyCode, location: 1 };
}

/** The key or chord that a text such as `a` or `Control+Shift+K` names. Throws `invalid` for another text. */
export function chordOf(text: string): Chord {
  const [, before, last] = /^((?:[^+]+\+)*)(\+|[^+]+)$/s.exec(text) ?? [];
  if (before === undefined || last === undefined) throw badKey(text, "the key after the last + is missing");
  const modifiers = new Set<Modifier>();
  for (const name of before.split("+").slice(0, -1)) {
    if (!isModifier(name)) throw badKey(text, `${JSON.stringify(cut(name))} is no modifier`);
    modifiers.add(name);
  }
  const commands = modifiers.has("Alt") || modifiers.has("Control") || modifiers.has("Meta");
  // A shortcut is written with a capital, and pressed without Shift.
  const capital = /^[A-Z]$/.test(last) && commands && !modifiers.has("Shift");
  const key = keyOf(capital ? last.toLowerCase() : last.normalize(), modifiers.has("Shift"));
  if (key === undefined) throw badKey(text, `${JSON.stringify(cut(last))} is no key${likeName(last)}`);
  const { text: sign, ...silent } = key;
  return {
    modifiers: [...modifiers],
    key: commands || sign === undefined ? silent : { ...silent, text: sign },
  };
}

function keyOf(name: string, shift: boolean): Key | undefined {
  const sign = name === "Space" ? " " : name;
  const key = usSigns.get((shift && shiftedSigns.get(sign)) || sign) ?? named(sign);
  if (key !== undefined || [...sign].length !== 1 || /\p{C}/u.test(sign)) return key;
  const upper = sign.toUpperCase();
  const text = shift && [...upper].length === 1 ? upper : sign;
  return { key: text, code: "", windowsVirtualKeyCode: 0, text };
}

function likeName(name: string): string {
  const like = [...Object.keys(modifierKeys), ...keyNames.keys(), "Space"].find(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );
  return like === undefined ? "" : ` (it is written ${JSON.stringify(like)})`;
}

const cut = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

function badKey(text: string, reason: string): Fault {
  return new Fault(
    "invalid",
    `key must be a key of the UI Events standard, such as "F5", "PageDown", "a" or "é", alone or behind Alt, Control, Meta and Shift, such as "Control+Shift+K", got ${JSON.stringify(cut(text))}: ${reason}`,
  );
}

/** The chord pressed `count` times, while its modifiers stay down. */
export function strokes({ modifiers, key }: Chord, count = 1): InputEvent[] {
  const mask = maskOf(modifiers);
  return holding(modifiers, Array.from({ length: count }, () => stroke(key, mask)).flat());
}

/** The events between the modifiers' own; each of them must have their `maskOf`. */
export function holding(modifiers: readonly Modifier[], events: readonly InputEvent[]): InputEvent[] {
  const down: InputEvent[] = [];
  const up: InputEvent[] = [];
  modifiers.forEach((name, at) => {
    const others = maskOf(modifiers.slice(0, at));
    const [pressed, released] = halves(modifierKey(name), others | modifierKeys[name].mask, others);
    down.push(pressed);
    up.unshift(released);
  });
  return [...down, ...events, ...up];
}

export function maskOf(modifiers: readonly Modifier[]): number {
  return modifiers.reduce((mask, name) => mask | modifierKeys[name].mask, 0);
}

/** A key pressed and released. With Alt its sign comes too, which is no text, but what the page's access keys answer to. */
function stroke(key: Key, mask = 0): InputEvent[] {
  const [down, up] = halves(key, mask, mask);
  const sign = [...key.key].length === 1 ? key.key : undefined;
  if (sign === undefined || (mask & ~modifierKeys.Shift.mask) !== modifierKeys.Alt.mask) return [down, up];
  const char = {
    type: "char" as const,
    modifiers: mask,
    text: sign,
    unmodifiedText: sign,
    isSystemKey: true,
  };
  return [down, { method: "Input.dispatchKeyEvent", params: char }, up];
}

function halves({ text, shift, ...key }: Key, downMask: number, upMask: number): [InputEvent, InputEvent] {
  const own = shift === true ? modifierKeys.Shift.mask : 0;
  const down = text === undefined ? { type: "rawKeyDown" as const } : { type: "keyDown" as const, text };
  return [
    { method: "Input.dispatchKeyEvent", params: { ...key, modifiers: downMask | own, ...down } },
    { method: "Input.dispatchKeyEvent", params: { ...key, modifiers: upMask | own, type: "keyUp" } },
  ];
}
