/** Handing a running profile to the user, and what the user does with it (protocol/README.md, "Handoff"). */
import type { tags } from "typia";
import type { Text } from "./scalars.ts";

export interface HandoffBody {
  /** What the user must do, such as "Type the code that was sent to you". */
  message: Text & tags.MaxLength<500>;
  /** How long the user may take. Default 300000. */
  timeout_ms?: number & tags.Type<"uint32"> & tags.Minimum<1000> & tags.Maximum<600000>;
}

export type HandoffOutcome = "handed_back" | "refused" | "timed_out";

/** A handoff as it begins and ends. `stopped`: the browser, or the script that asked, has ended. */
export type HandoffChange = { message: string } | { outcome: HandoffOutcome | "stopped" };

export interface HandoffReply {
  outcome: HandoffOutcome;
}

/** Mouse and keyboard on the live picture. Places are in CSS pixels of the page, modifiers as in CDP's Input domain. */
export type UserInput =
  | {
      kind: "mouse";
      type: "mouseMoved" | "mousePressed" | "mouseReleased";
      x: number;
      y: number;
      button: "none" | "left" | "middle" | "right";
      buttons: number;
      count: number;
      modifiers: number;
    }
  | { kind: "wheel"; x: number; y: number; dx: number; dy: number; modifiers: number }
  | { kind: "key"; down: boolean; key: string; code: string; keyCode: number; modifiers: number }
  | { kind: "text"; text: string & tags.MaxLength<100000> };

export interface HandoffShapes {
  HandoffBody: HandoffBody;
}
