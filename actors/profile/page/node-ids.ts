/** Assigns ids to nodes and remembers the latest, in blocks. */

/** A document with ids. Each renderer numbers its nodes separately, so each document has its own map. */
export interface KnownDocument {
  targetId: string;
  frameId: string;
  loaderId: string;
  /** Ids by backend node; empty once the frame has another document. */
  ids: Map<number, number>;
}

export interface Known {
  document: KnownDocument;
  backendNodeId: number;
}

/** Two lists instead of a record per id, which would slow garbage collection. */
interface Block {
  documents: KnownDocument[];
  nodes: number[];
}

const blockSize = 4_096;

/** Ids count up from 1. Blocks are dropped as a whole, because finding the oldest entry of one large map is slow. */
export class NodeIds {
  readonly #max: number;
  readonly #blocks = new Map<number, Block>();
  #last = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get last(): number {
    return this.#last;
  }

  give(document: KnownDocument, backendNodeId: number): number {
    const at = Math.floor(this.#last / blockSize);
    let block = this.#blocks.get(at);
    if (block === undefined) {
      block = { documents: [], nodes: [] };
      this.#blocks.set(at, block);
      if ((this.#blocks.size - 2) * blockSize >= this.#max) this.#forgetOldest();
    }
    block.documents.push(document);
    block.nodes.push(backendNodeId);
    this.#last += 1;
    document.ids.set(backendNodeId, this.#last);
    return this.#last;
  }

  get(id: number): Known | undefined {
    const block = this.#blocks.get(Math.floor((id - 1) / blockSize));
    const document = block?.documents[(id - 1) % blockSize];
    const backendNodeId = block?.nodes[(id - 1) % blockSize];
    return document === undefined || backendNodeId === undefined ? undefined : { document, backendNodeId };
  }

  #forgetOldest(): void {
    for (const [at, { documents, nodes }] of this.#blocks) {
      for (const [index, document] of documents.entries()) document.ids.delete(nodes[index] ?? 0);
      this.#blocks.delete(at);
      return;
    }
  }
}
