/** Checks of the application's calls. A refusal is a sentence for the user: the field, what it must be, and what came. */
import { Fault } from "../../protocol/faults.ts";
import { appChecks } from "../../protocol/generated/messages/app.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import { refuseUnseenName } from "../../protocol/names.ts";
import { countMax } from "../gate/explain.ts";

/** As `appChecks`, but each throws `invalid`, such as `isolationMin must be lock, namespaces or sealed, got "none"`. */
export const callChecks = Object.fromEntries(
  Object.entries(appChecks).map(([name, check]) => [
    name,
    (input: unknown) => {
      try {
        const given = check(input);
        refuseUnseenName(given);
        return given;
      } catch (error) {
        throw refusalOf(error);
      }
    },
  ]),
) as Checks<AppApi>;

/** typia's error; any other is unchanged. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error && "path" in error && "expected" in error && "value" in error)) return error;
  const field = String(error.path).replace(/^\$input\.?(settings\.)?/, "") || "the input";
  const { words, mayShow } = wanted(String(error.expected), error.value);
  const got =
    error.value === undefined || !mayShow ? "" : `, got ${JSON.stringify(error.value)?.slice(0, 80)}`;
  return new Fault("invalid", `${field} must be ${words}${got}`);
}

/** typia's notation of a type in words. Free text is not repeated, because it may be a password. */
function wanted(type: string, value: unknown): { words: string; mayShow: boolean } {
  const values = [...type.matchAll(/"([^"<>]*)"(?!>)/g)].map(([, text]) => text ?? "");
  const bound = (tag: string) => new RegExp(`\\b${tag}<(\\d+)>`).exec(type)?.[1];
  const mayShow = typeof value !== "object";
  if (/\bnumber\b/.test(type)) {
    const tooLarge = typeof value === "number" && value > countMax;
    const max = bound("Maximum") ?? (tooLarge ? countMax : undefined);
    return {
      words: `an integer of ${max === undefined ? `at least ${bound("Minimum") ?? 0}` : `at most ${max}`}`,
      mayShow,
    };
  }
  if (/\bboolean\b/.test(type)) return { words: "true or false", mayShow };
  if (/\bArray</.test(type)) return { words: "a list", mayShow: false };
  if (/\bstring\b/.test(type)) {
    const max = bound("MaxLength");
    const text = bound("MinLength") === undefined ? "a text" : "a text that is not empty";
    const isUuid = type.includes("[0-9a-fA-F]{12}");
    return {
      words: isUuid ? "a uuid" : max === undefined ? text : `a text of at most ${max} characters`,
      mayShow: false,
    };
  }
  if (values.length > 0) return { words: values.join(", ").replace(/, ([^,]*)$/, " or $1"), mayShow };
  return { words: "an object", mayShow: false };
}
