/** Adds the proxy's reason to a failed load. */
import { Fault, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { Bridge } from "./bridge.ts";

const noAnswer = /net::ERR_|got no document within/;

/** Waits for a load of `url`. If it got no answer, its fault also gives the proxy's reason. */
export async function sayingWhy<T>(bridge: Bridge | null, url: string, load: Promise<T>): Promise<T> {
  try {
    return await load;
  } catch (error) {
    const asksProxy = error instanceof Fault && noAnswer.test(error.message) && /^https?:/i.test(url);
    if (bridge === null || !asksProxy) throw error;
    const reason = await bridge.why(url, limits.proxyReasonMs);
    throw reason === null ? error : error.adding(worded`: ${reason}`);
  }
}
