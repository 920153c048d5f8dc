/** A profile that is handed to the user: its live page, which takes mouse and keys, and the buttons that end it. */
import { useMemo } from "preact/hooks";
import type { UserInput } from "../../../../protocol/handoff.ts";
import { app } from "../api.ts";
import { attempt } from "../notices.tsx";

export interface Picture {
  source: string;
  /** Of the page, in CSS pixels. */
  width: number;
  height: number;
}

interface Props {
  profileId: string;
  name: string;
  message: string;
  picture: Picture | null;
}

export function HandoffCard({ profileId, name, message, picture }: Props) {
  const end = (outcome: "handed_back" | "refused") =>
    void attempt(() => app.endHandoff({ profileId, outcome }));
  return (
    <section class="card handoff" aria-label={`Waiting for you: ${name}`}>
      <div class="row">
        <h2 class="grow">{name} needs you</h2>
        <button type="button" class="main" onClick={() => end("handed_back")}>
          Hand back
        </button>
        <button type="button" onClick={() => end("refused")}>
          Refuse
        </button>
      </div>
      <p>{message}</p>
      <p class="soft">Mouse and keys go to the page below while it has the focus. Shift+Escape leaves it.</p>
      <Screen profileId={profileId} name={name} picture={picture} />
    </section>
  );
}

function Screen({ profileId, name, picture }: Omit<Props, "message">) {
  const give = useMemo(() => createSender(profileId), [profileId]);
  const mouse = (type: "mouseMoved" | "mousePressed" | "mouseReleased") => (event: MouseEvent) => {
    if (picture === null) return;
    if (type === "mousePressed") (event.currentTarget as HTMLElement).focus();
    event.preventDefault();
    const button = type === "mouseMoved" ? "none" : (["left", "middle", "right"] as const)[event.button];
    const { buttons, detail } = event;
    const count = type === "mouseMoved" ? 0 : Math.max(1, detail);
    if (button !== undefined)
      give({
        kind: "mouse",
        type,
        ...placeOf(event, picture),
        button,
        buttons,
        count,
        modifiers: modifiersOf(event),
      });
  };
  const key = (down: boolean) => (event: KeyboardEvent) => {
    const { key, code, keyCode } = event;
    if (key === "Escape" && event.shiftKey) return void (event.currentTarget as HTMLElement).blur();
    const pastes = (event.ctrlKey || event.metaKey) && key.toLowerCase() === "v";
    if (pastes || event.isComposing || key === "Dead" || key === "Process") return; // Comes as text input.
    event.preventDefault();
    give({ kind: "key", down, key, code, keyCode, modifiers: modifiersOf(event) });
  };
  /** Text without key events: input methods, dead keys, pasted text. */
  const text = (event: Event) => {
    const field = event.currentTarget as HTMLTextAreaElement;
    if (event instanceof InputEvent && event.isComposing) return;
    if (field.value !== "") give({ kind: "text", text: field.value });
    field.value = "";
  };
  return (
    <div class="screen">
      {picture === null ? (
        <span class="soft">The picture comes …</span>
      ) : (
        <img src={picture.source} alt="" draggable={false} />
      )}
      <textarea
        aria-label={`Live page of ${name}`}
        spellcheck={false}
        autocomplete="off"
        onMouseDown={mouse("mousePressed")}
        onMouseMove={mouse("mouseMoved")}
        onMouseUp={mouse("mouseReleased")}
        onContextMenu={(event) => event.preventDefault()}
        onWheel={(event) => {
          event.preventDefault();
          const { deltaX: dx, deltaY: dy } = event;
          if (picture !== null)
            give({ kind: "wheel", ...placeOf(event, picture), dx, dy, modifiers: modifiersOf(event) });
        }}
        onKeyDown={key(true)}
        onKeyUp={key(false)}
        onInput={text}
        onCompositionEnd={text}
      />
    </div>
  );
}

/** The place in the page under the mouse. */
function placeOf(event: MouseEvent, { width, height }: Picture): { x: number; y: number } {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const within = (at: number, from: number, size: number) => Math.min(1, Math.max(0, (at - from) / size));
  return {
    x: Math.round(within(event.clientX, box.left, box.width) * width),
    y: Math.round(within(event.clientY, box.top, box.height) * height),
  };
}

function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }: MouseEvent | KeyboardEvent): number {
  return Number(altKey) + 2 * Number(ctrlKey) + 4 * Number(metaKey) + 8 * Number(shiftKey);
}

/** Sends events in order and in batches. A move replaces the one before it. */
function createSender(profileId: string): (event: UserInput) => void {
  let queue: UserInput[] = [];
  let sending = false;
  const flush = async () => {
    sending = true;
    while (queue.length > 0) {
      const events = queue;
      queue = [];
      await app.userInput({ profileId, events }).catch(() => {}); // The handoff has ended.
    }
    sending = false;
  };
  const isMove = (event: UserInput | undefined) => event?.kind === "mouse" && event.type === "mouseMoved";
  return (event) => {
    if (isMove(event) && isMove(queue.at(-1))) queue.pop();
    queue.push(event);
    if (!sending) void flush();
  };
}
