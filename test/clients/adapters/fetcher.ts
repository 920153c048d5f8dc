/** How orval's client reaches a service: it has no address and no token of its own. */
let baseUrl = "";
let token = "";

export function use(next: { baseUrl: string; token: string }): void {
  ({ baseUrl, token } = next);
}

export async function fetcher<Reply>(path: string, options: RequestInit): Promise<Reply> {
  const headers = new Headers(options.headers);
  headers.set("authorization", `Bearer ${token}`);
  const reply = await fetch(new URL(path, baseUrl), { ...options, headers });
  const type = reply.headers.get("content-type") ?? "";
  const data: unknown = type.startsWith("application/json")
    ? await reply.json()
    : type.startsWith("text/event-stream")
      ? reply.body
      : await reply.blob();
  return { data, status: reply.status, headers: reply.headers } as Reply;
}
