/** Follows a link to the control page as the page does: the key behind its `#` is exchanged for a session. */
import { request } from "undici";

/** What the service answered. */
export async function followLink(link: string): Promise<{ statusCode: number; text: string }> {
  const { origin, hash } = new URL(link);
  const { statusCode, body } = await request(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ key: new URLSearchParams(hash.slice(1)).get("key") }),
  });
  return { statusCode, text: await body.text() };
}
