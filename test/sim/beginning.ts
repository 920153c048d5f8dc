/** The initial state of most simulations: a library that already has profiles, scripts and datasets. */

export interface Beginning {
  files: Map<string, Uint8Array>;
  facts: Map<string, string>;
  scripts: string[];
  datasets: [id: string, dataset: { name: string; mode: "fixed" | "consume" }][];
}

export const nothing: Beginning = { files: new Map(), facts: new Map(), scripts: [], datasets: [] };
