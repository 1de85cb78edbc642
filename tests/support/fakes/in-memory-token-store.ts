import type { Act } from '../../../src/policy/caller.ts';
import type { LockedDecision, TokenFilter, TokenStore } from '../../../src/tokens/ports.ts';
import type { NewToken, Token, TokenChange } from '../../../src/tokens/token.ts';

/** Tokens without a database, for tests of services. Records the acts. */
export class InMemoryTokenStore implements TokenStore {
  readonly acts: Act[] = [];
  readonly #tokens = new Map<string, Token>();

  constructor(tokens: readonly NewToken[] = []) {
    for (const token of tokens) {
      this.#add(token);
    }
  }

  findBySerial(serial: string): Promise<Token | undefined> {
    return Promise.resolve(this.#tokens.get(serial));
  }

  list(filter: TokenFilter): Promise<readonly Token[]> {
    const { offset = 0, limit = Infinity } = filter;
    return Promise.resolve(this.#matching(filter).slice(offset, offset + limit));
  }

  count(filter: TokenFilter): Promise<number> {
    return Promise.resolve(this.#matching(filter).length);
  }

  insert(token: NewToken, act: Act): Promise<Token> {
    this.acts.push(act);
    return Promise.resolve(this.#add(token));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what `decide` throws is to be a rejection
  async update(
    serial: string,
    change: TokenChange,
    act: Act,
    decide: LockedDecision = () => ({}),
  ): Promise<Token | undefined> {
    const token = this.#tokens.get(serial);
    if (token === undefined) {
      return undefined;
    }
    const decided = decide(token);
    this.acts.push(act);
    const secrets = { ...token.secrets, ...change.secrets, ...decided.secrets };
    const changed = { ...token, ...change, ...decided, secrets };
    this.#tokens.set(serial, changed);
    return changed;
  }

  async updateAll(
    changes: ReadonlyMap<string, TokenChange>,
    act: Act,
    decide?: LockedDecision,
  ): Promise<void> {
    // All or none: checks first that all of them may be changed.
    for (const serial of changes.keys()) {
      const token = this.#tokens.get(serial);
      if (token !== undefined) {
        decide?.(token);
      }
    }
    for (const [serial, change] of changes) {
      await this.update(serial, change, act, decide);
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what `assure` throws is to be a rejection
  async removeAll(
    serials: readonly string[],
    act: Act,
    assure: (token: Token) => void = () => undefined,
  ): Promise<void> {
    // All or none: first see whether all of them may be removed.
    this.#matching({})
      .filter(({ serial }) => serials.includes(serial))
      .forEach((token) => {
        assure(token);
      });
    for (const serial of serials) {
      this.acts.push(act);
      this.#tokens.delete(serial);
    }
  }

  #add(token: NewToken): Token {
    const id = String(this.#tokens.size + 1);
    const added = {
      ...token,
      id,
      version: '1',
      isSecondFactor: false,
      createdAt: new Date(0),
      lastSuccessAt: null,
      syncMarker: null,
    };
    this.#tokens.set(token.serial, added);
    return added;
  }

  #matching({ serial, owner, realm, inRealms, active, assigned }: TokenFilter): readonly Token[] {
    const tests: ((token: Token) => boolean)[] = [
      (token) => serial === undefined || token.serial === serial,
      (token) =>
        owner === undefined ||
        (token.owner?.resolverId === owner.resolverId && token.owner.userId === owner.userId),
      (token) =>
        realm === undefined || (realm === null ? token.realms.length === 0 : token.realms.includes(realm)),
      (token) => inRealms === undefined || token.realms.some((name) => inRealms.includes(name)),
      (token) => active === undefined || token.active === active,
      (token) => assigned === undefined || (token.owner !== null) === assigned,
    ];
    return [...this.#tokens.values()]
      .filter((token) => tests.every((test) => test(token)))
      .sort((left, right) => (left.serial < right.serial ? -1 : 1));
  }
}
