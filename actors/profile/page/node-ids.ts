/** The numbers that nodes have been given, in order, and what each stands for; of too many the oldest are forgotten, a block at a time. */

/** A document that ids were given in. Numbers of nodes count anew in each renderer, so every document has its own. */
export interface KnownDocument {
  targetId: string;
  frameId: string;
  loaderId: string;
  /** Ids by backend node, to give the same again; empty once another document has taken the frame. */
  ids: Map<number, number>;
}

export interface Known {
  document: KnownDocument;
  backendNodeId: number;
}

/** Two lists and not a record for each id: there are hundreds of thousands, and the collector visits every record. */
interface Block {
  documents: KnownDocument[];
  nodes: number[];
}

const blockSize = 4_096;

/**
 * Ids count up from 1. One by one, the oldest in a map of 200,000 took longer to find the more had gone before it: a snapshot of
 * 1,600 new nodes waited up to a quarter of a second for it.
 */
export class NodeIds {
  readonly #max: number;
  /** By the block's place in the order of ids; the oldest first. */
  readonly #blocks = new Map<number, Block>();
  #last = 0;

  /** `max`: at least so many of the newest are known. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The newest id; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** A new id for a node. */
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

  /** Undefined for an id that was never given, or has been forgotten. */
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
