/** Exchanges the key of a control page's link for a session, as the page does. */
import { request } from "undici";

export async function followLink(link: string): Promise<{ statusCode: number; text: string }> {
  const { origin, hash } = new URL(link);
  const { statusCode, body } = await request(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ key: new URLSearchParams(hash.slice(1)).get("key") }),
  });
  return { statusCode, text: await body.text() };
}
