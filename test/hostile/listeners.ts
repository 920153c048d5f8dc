/** Every listener of a running service, with valid credentials. */
import { readInstance } from "../../gateway/instance.ts";
import type { TestService } from "../gateway/running.ts";

export interface KnownListener {
  name: string;
  port: number;
  path: string;
  credentials: string;
}

export function listenersOf({ service, dataDir, token }: TestService): KnownListener[] {
  const instance = readInstance(dataDir);
  if (instance === null || service.apiUrl === null)
    throw new Error("the service has not opened its listeners");
  const api = {
    port: Number(new URL(service.apiUrl).port),
    credentials: `Authorization: Bearer ${token}\r\n`,
  };
  const app = {
    port: Number(new URL(instance.url).port),
    credentials: `Authorization: Bearer ${instance.secret}\r\n`,
  };
  return [
    { name: "API", path: "/v1/capacity", ...api },
    { name: "MCP", path: "/mcp", ...api },
    { name: "application", path: "/v1/capacity", ...app },
    { name: "application's MCP", path: "/mcp", ...app },
  ];
}
