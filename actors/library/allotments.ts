/** The kinds of what new profiles are given besides their device, each in a file of its own. */
import type { NewProfiles } from "../../protocol/messages/library.ts";
import type { Reader } from "../../storage/sqlite.ts";
import type { Allotment, AllotmentKind } from "./allotment.ts";
import { proxyAllotment } from "./proxy-allotment.ts";
import type { Room } from "./room.ts";

/** In the order in which they are asked. */
const kinds: readonly AllotmentKind[] = [proxyAllotment];

/** Throws as the kinds do. */
export function allotmentsOf(room: Room, sql: Reader, input: NewProfiles): Allotment[] {
  return kinds.map((kind) => kind(room, sql, input)).filter((allotment) => allotment !== null);
}
