/** A run's failures, grouped by message. Pure. */
import type { RunProfile } from "../../../../protocol/records.ts";

export interface FailureGroup {
  /** Of its first failure; those of the others differ in numbers at most. */
  message: string;
  parts: RunProfile[];
}

const messageOf = ({ error }: RunProfile) => (error ?? "").split("\n", 1)[0] || "failed without a message";

/** The largest group first. */
export function failureGroups(parts: readonly RunProfile[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const part of parts) {
    const message = messageOf(part);
    const kind = message.replace(/\d+/g, "0");
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, { message, parts: [part] });
    else group.parts.push(part);
  }
  return [...groups.values()].sort((one, other) => other.parts.length - one.parts.length);
}

/** What `part` says that its group's title does not. */
export function ownMessage(part: RunProfile, { message }: FailureGroup): string | null {
  return part.error === null || part.error === message ? null : part.error;
}
