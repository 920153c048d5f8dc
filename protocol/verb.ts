/** The declaration of a page verb: `protocol/verbs/NAME.ts` exports one as `verb`, with the types of its request and reply. */
import type { tags } from "typia";
import type { Access, Text } from "./scalars.ts";

/** CSS pixels from the left and top edge of an element's box. */
export interface BoxPosition {
  x: number & tags.Minimum<0>;
  y: number & tags.Minimum<0>;
}

/** What each verb takes. */
export interface TabOption {
  /** From the list of tabs. Default: the current tab. */
  tab_id?: Text;
}

/** A JavaScript dialog during a verb. It was dismissed (beforeunload: accepted). */
export interface MetDialog {
  type: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  /** It was accepted, as answer-dialog said. */
  accepted?: true;
}

export interface MetDialogs {
  /** The first JavaScript dialogs that the verb met; absent: none. */
  dialogs?: MetDialog[];
}

/** Reply of a page verb that may leave the tab elsewhere. */
export interface PageReply extends MetDialogs {
  /** URL of the tab after the verb. */
  url: string;
  title: string;
}

/** Reply of a verb with `mediaTypes`. REST answers with the bytes; an agent gets the rest too. */
export interface MediaReply extends PageReply {
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * What route, OpenAPI document, MCP tool, command, message and turn take from a verb. Its path and names come from its file's name, its
 * request from the exported `NAMEBody` (of a POST) or `NAMEQuery` (of a GET), its reply from `NAMEReply`, if there is one.
 */
export interface Verb<Input extends TabOption> {
  method: "GET" | "POST";
  /** Below the profile's path, when it is not the verb's name. */
  path?: string;
  access: Access;
  /** Place in the OpenAPI document and the help: lower ones first, equal ones by name. */
  place: number;
  summary: string;
  description?: string;
  /** When it answers 409 for a profile that runs, in words after "or". */
  conflict: string;
  /** When it answers 400, if not only for what its shape says. */
  invalid?: string;
  replyText?: string;
  /** It can leave a page that hangs or has crashed. */
  leaves?: true;
  /** The reply is bytes of one of these types. */
  mediaTypes?: readonly string[];
  /** The longest time from its turn on; then it is a conflict. */
  timeoutMs: number;
  /** The same for one call, when the caller sets it. */
  timeoutOf?(input: Input): number;
  /** The conflict's text, instead of one that names the verb. */
  overdue?: string;
}

/** A verb in the generated table. */
export interface VerbEntry<Input extends TabOption, Shape> extends Verb<Input> {
  /** As in the path. */
  name: string;
  /** Names of the types. */
  input: Shape;
  schema: string;
}

/** The reply of a verb that declares no type for it. */
export type UsualReply<Declared> = Declared extends { mediaTypes: readonly string[] }
  ? MediaReply
  : PageReply;
