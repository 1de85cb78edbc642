import { type LinotpSource, wholeOf } from './linotp-source.ts';

/** The realms of all tokens, packed: two numbers for each row of the table TokenRealm. */
export class RealmLinks {
  readonly #tokenIds: Float64Array;
  readonly #realmIds: Float64Array;

  private constructor(tokenIds: Float64Array, realmIds: Float64Array) {
    this.#tokenIds = tokenIds;
    this.#realmIds = realmIds;
  }

  static async read(source: LinotpSource): Promise<RealmLinks> {
    const size = await source.count('TokenRealm');
    const tokens = new Float64Array(size);
    const realms = new Float64Array(size);
    let at = 0;
    for await (const rows of source.rows('TokenRealm')) {
      for (const row of rows) {
        tokens[at] = wholeOf(row, 'token_id') ?? -1;
        realms[at] = wholeOf(row, 'realm_id') ?? -1;
        at += 1;
      }
    }
    return RealmLinks.#sort(tokens.subarray(0, at), realms.subarray(0, at));
  }

  static #sort(tokens: Float64Array, realms: Float64Array): RealmLinks {
    const isSorted = tokens.every((id, index) => index === 0 || (tokens[index - 1] ?? 0) <= id);
    if (isSorted) {
      return new RealmLinks(tokens, realms);
    }
    const order = Uint32Array.from(tokens.keys()).sort(
      (one, other) => (tokens[one] ?? 0) - (tokens[other] ?? 0),
    );
    const pick = (from: Float64Array): Float64Array => Float64Array.from(order, (index) => from[index] ?? -1);
    return new RealmLinks(pick(tokens), pick(realms));
  }

  /** @returns the ids of the token's realms */
  of(tokenId: number): readonly number[] {
    const realms: number[] = [];
    for (let at = this.#firstOf(tokenId); this.#tokenIds[at] === tokenId; at += 1) {
      realms.push(this.#realmIds[at] ?? -1);
    }
    return realms;
  }

  /** @returns the ids of tokens that no row of `known` has, each once */
  *danglingTokens(known: { has(tokenId: number): boolean }): Iterable<number> {
    let last = Number.NaN;
    for (const tokenId of this.#tokenIds) {
      if (tokenId !== last && !known.has(tokenId)) {
        yield tokenId;
      }
      last = tokenId;
    }
  }

  #firstOf(tokenId: number): number {
    let [low, high] = [0, this.#tokenIds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tokenIds[middle] ?? 0) < tokenId) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** A set of row ids, a bit for each. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const [page, bit] = this.#place(id);
    const bytes = this.#pages.get(page) ?? new Uint8Array(8192);
    bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7));
    this.#pages.set(page, bytes);
  }

  has(id: number): boolean {
    const [page, bit] = this.#place(id);
    return ((this.#pages.get(page)?.[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  #place(id: number): [page: number, bit: number] {
    return [Math.floor(id / 65_536), ((id % 65_536) + 65_536) % 65_536];
  }
}
