/** What most simulations begin with: a library that has profiles, scripts and datasets already. */

export interface Beginning {
  files: Map<string, Uint8Array>;
  facts: Map<string, string>;
  scripts: string[];
  datasets: [id: string, dataset: { name: string; mode: "fixed" | "consume" }][];
}

export const nothing: Beginning = { files: new Map(), facts: new Map(), scripts: [], datasets: [] };
