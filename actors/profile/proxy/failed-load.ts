/** A load that failed through a proxy also says what is wrong with the proxy. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { Bridge } from "./bridge.ts";

/** What the browser says when it got no answer; everything else is about the page or the call. */
const noAnswer = /net::ERR_|got no document within/;

/** The outcome of a load of `url`; when it failed for want of an answer, with the proxy's reason behind the browser's. */
export async function sayingWhy<T>(bridge: Bridge | null, url: string, load: Promise<T>): Promise<T> {
  try {
    return await load;
  } catch (error) {
    const asksProxy = error instanceof Fault && noAnswer.test(error.message) && /^https?:/i.test(url);
    if (bridge === null || !asksProxy) throw error;
    const reason = await bridge.why(url, limits.proxyReasonMs);
    throw reason === null ? error : new Fault(error.kind, `${error.message}: ${reason}`);
  }
}
