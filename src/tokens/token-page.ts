import { ServiceError } from '../kernel/errors.ts';
import type { ResolverKind, Configuration } from '../configuration/configuration.ts';
import type { DescribedToken } from './token-view.ts';

/** Some of the tokens that a listing found. */
export interface TokenPage {
  readonly tokens: readonly DescribedToken[];
  /** How many there are on all pages. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  /** How many tokens a page holds; without a wish, all there are, as far as one answer can hold them. */
  readonly pageSize: number;
  /** By the resolver's name. */
  readonly resolverKinds: ReadonlyMap<string, ResolverKind>;
}

/** Which page of a listing; what is left out: the first, and as large as it may be. */
export interface PageWish {
  readonly page?: number | undefined;
  /** 1 to 1000. */
  readonly pageSize?: number | undefined;
}

const LARGEST_PAGE = 1000;
const LAST_PAGE = 1_000_000;

/**
 * @returns the page that is wished for, and the tokens of the listing that it holds
 * @throws ServiceError 'parameter.invalid'
 */
export function readPageWish({ page = 1, pageSize }: PageWish): {
  page: number;
  pageSize: number | undefined;
  limit: number;
  offset: number;
} {
  const limit = within(pageSize ?? LARGEST_PAGE, 'page size', LARGEST_PAGE);
  return { page: within(page, 'page', LAST_PAGE), pageSize, limit, offset: (page - 1) * limit };
}

/** @returns how many tokens a page holds where nobody wished for a number */
export function usualPageSize(total: number): number {
  return Math.min(total, LARGEST_PAGE);
}

export function resolverKinds({ resolvers }: Configuration): ReadonlyMap<string, ResolverKind> {
  return new Map(resolvers.map(({ name, kind }) => [name, kind]));
}

function within(value: number, what: string, most: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number from 1 to ${most}`);
  }
  return value;
}
