/** Names are shown in lists and lines: a name that nobody can see, or that breaks a line, is refused. */
import { Fault } from "./faults.ts";

const fields = ["name", "name_template"];

/** Spaces, control and format characters, marks without their letter, and letters that have no shape. */
const onlyInvisible = /^[\p{Cc}\p{Cf}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** Throws `invalid`, naming the field. An absent or empty name is left to the check of the shape. */
export function refuseUnseenName(input: object): void {
  for (const field of fields) {
    const name: unknown = Object.hasOwn(input, field) ? Reflect.get(input, field) : "";
    if (typeof name !== "string" || name === "") continue;
    if (/[\p{Cc}\p{Cs}]/u.test(name))
      throw new Fault("invalid", `${field} must be text without control characters, such as line breaks`);
    if (onlyInvisible.test(name)) throw new Fault("invalid", `${field} must have a visible character`);
  }
}
