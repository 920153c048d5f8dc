/** The verb pdf: the page as the browser prints it. */
import { Fault, quoting, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { PdfQuery } from "../../../protocol/verbs/pdf.ts";
import { failureOf } from "../cdp/session.ts";
import type { Work } from "./work.ts";

/** In inches. */
type Paper = readonly [width: number, height: number];

const iso = (widthMm: number, heightMm: number): Paper => [widthMm / 25.4, heightMm / 25.4];

const papers: Record<NonNullable<PdfQuery["format"]>, Paper> = {
  A0: iso(841, 1189),
  A1: iso(594, 841),
  A2: iso(420, 594),
  A3: iso(297, 420),
  A4: iso(210, 297),
  A5: iso(148, 210),
  A6: iso(105, 148),
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
};

export const work: Work<"pdf"> = ({ onTab }, { landscape = false, background = false, format = "A4" }) =>
  onTab(async ({ session, loading }) => {
    await loading.settled(limits.navigationSettleMs);
    const [paperWidth, paperHeight] = papers[format];
    const asked = {
      landscape,
      paperWidth,
      paperHeight,
      printBackground: background,
      preferCSSPageSize: true,
    };
    const { data } = await session
      .send("Page.printToPDF", asked, limits.pageVerbTimeoutMs)
      .catch((error: unknown) => {
        if (failureOf(error) !== "refused") throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new Fault("conflict", worded`the browser cannot print this page: ${quoting(reason)}`);
      });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length > limits.pdfBytesMax)
      throw new Fault(
        "conflict",
        `the PDF is ${bytes.length} bytes, more than the ${limits.pdfBytesMax} allowed`,
      );
    return { mediaType: "application/pdf", bytes };
  });
