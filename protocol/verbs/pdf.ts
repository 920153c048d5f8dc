/** The verb pdf. */
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/pdf`: the page as it prints. */
export interface PdfQuery extends TabOption {
  /** Paper is wider than high. */
  landscape?: boolean;
  /** Prints background colours and pictures. Default false, as a browser does. */
  background?: boolean;
  /** Paper. Default A4. A size that the page's own style sets comes first. */
  format?: "A0" | "A1" | "A2" | "A3" | "A4" | "A5" | "A6" | "Letter" | "Legal" | "Tabloid" | "Ledger";
}

export const verb = {
  method: "GET",
  access: "read",
  place: 92,
  summary: "The page as a PDF",
  description: "As the browser prints it, with the page's styles for print. At most 64 MiB.",
  conflict: "the browser cannot print the page, or the PDF is larger than 64 MiB",
  replyText: "The PDF.",
  mediaTypes: ["application/pdf"],
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<PdfQuery>;
