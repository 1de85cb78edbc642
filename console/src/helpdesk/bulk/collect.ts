import { call, type ParametersOf } from '../../api/call.ts';
import type { ListedToken } from './bulk-foresight.ts';

/** The most tokens of one act. */
export const MAX_BULK = 10_000;
/** The most tokens of one request. */
const PAGE_SIZE = '200';
const AT_ONCE = 4;

/** Reads tokens, and tells how many so far. */
export type Collect = (
  signal: AbortSignal,
  onRead: (count: number) => void,
) => Promise<readonly ListedToken[]>;

/** More tokens than one act may have. */
export class TooManyTokens extends Error {}

/** @returns reads all tokens of a filter, page by page. @throws TooManyTokens for more than `most` */
export function matching(filter: ParametersOf<'/admin/token/list'>, most = Infinity): Collect {
  return async (signal, onRead) => {
    const tokens: ListedToken[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { readonly tokens: readonly ListedToken[]; readonly next: string | null } = await call(
        '/admin/token/list',
        { ...filter, limit: PAGE_SIZE, cursor },
        { signal },
      );
      tokens.push(...page.tokens);
      cursor = page.next;
      onRead(tokens.length);
      if (tokens.length > most) {
        throw new TooManyTokens();
      }
    }
    return tokens;
  };
}

/** The owner of tokens. */
export interface NamedUser {
  readonly user: string;
  readonly user_realm: string;
  readonly user_resolver: string;
}

/** @returns false for a login by which the server finds nobody: as a filter it would be none */
export function isNamed(login: string): boolean {
  return login.trim() !== '';
}

/** @returns reads the tokens of these users, each token once. @throws TooManyTokens */
export function tokensOf(users: readonly NamedUser[]): Collect {
  return async (signal, onRead) => {
    const left = users.filter(({ user }) => isNamed(user));
    const tokens = new Map<string, ListedToken>();
    const read = async (): Promise<void> => {
      for (let user = left.pop(); user !== undefined; user = left.pop()) {
        for (const token of await matching({ ...user }, MAX_BULK)(signal, () => undefined)) {
          tokens.set(token.serial, token);
        }
        onRead(tokens.size);
        if (tokens.size > MAX_BULK) {
          throw new TooManyTokens();
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, read));
    return [...tokens.values()];
  };
}
