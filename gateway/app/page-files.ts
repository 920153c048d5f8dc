/** The built control page: its files and their security headers. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";

export const pageHeaders: Record<string, string> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".map": "application/json",
};

/** The build's folder, as seen from the source and from a bundle beside it. */
const folder = new URL(import.meta.url.endsWith(".ts") ? "../../dist/page/" : "./page/", import.meta.url);

export interface PageFile {
  bytes: Buffer;
  type: string;
}

/** Null when there is no such file. The build's names are flat, so no path leads out of the folder. */
export async function pageFile(name: string): Promise<PageFile | null> {
  const type = types[extname(name)];
  if (type === undefined || !/^[a-z0-9][a-z0-9._-]*$/i.test(name)) return null;
  try {
    return { bytes: await readFile(new URL(name, folder)), type };
  } catch {
    return null;
  }
}
