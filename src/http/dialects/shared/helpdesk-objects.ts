import type { OwnedToken } from '../../../helpdesk/owned-token.ts';
import type { Person, RecentTransaction, TokensWithHistory } from '../../../helpdesk/person-service.ts';
import type { SearchResult } from '../../../helpdesk/search-service.ts';
import type { TokenSheet } from '../../../helpdesk/token-list-service.ts';

/** A user as the directory describes them. */
interface Described {
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
}

/** @returns the value of /admin/search */
export function searchObject({ tokens, people, transactions }: SearchResult): object {
  return {
    tokens: tokens && { hits: tokens.hits.map(tokenObject), more: tokens.hasMore },
    people: people && {
      hits: people.hits.map(({ login, resolver, realms, ...user }) => ({
        user: login,
        ...namesOf(user),
        resolver,
        realms,
      })),
      more: people.hasMore,
      incomplete: people.incomplete,
    },
    transactions:
      transactions?.map(({ transactionId, serial, realms, state }) => ({
        transaction_id: transactionId,
        serial,
        realms,
        state,
      })) ?? null,
  };
}

/** @returns the value of /admin/person */
export function personObject(person: Person): object {
  const { login, realm, resolver, details, tokens, hasMore, transactions } = person;
  return {
    user: login,
    realm,
    resolver,
    details: details && namesOf(details),
    tokens: tokens.map(tokenObject),
    more: hasMore,
    transactions: transactionObjects(transactions),
  };
}

/** @returns the value of /admin/token */
export function tokenFactsObject({ tokens, transactions }: TokensWithHistory): object {
  return { token: tokens.map(tokenObject)[0], transactions: transactionObjects(transactions) };
}

/** @returns the value of /admin/tokens */
export function tokenSheetObject({ tokens, next, total }: TokenSheet): object {
  return { tokens: tokens.map(tokenObject), next, total };
}

function namesOf({ givenName, surname, email, phone }: Described): object {
  return { given_name: givenName, surname, email, phone };
}

function tokenObject(token: OwnedToken): object {
  const { owner } = token;
  return {
    serial: token.serial,
    type: token.type,
    description: token.description,
    owner: owner && { user: owner.login, resolver: owner.resolver, realm: token.ownerRealm },
    realms: token.realms,
    active: token.active,
    locked: token.isLocked,
    fail_count: token.failCount,
    max_fail: token.maxFail,
    counter: String(token.counter),
    counter_window: token.counterWindow,
    sync_window: token.syncWindow,
    time_shift: token.timeShift,
    ocra_suite: token.ocraSuite,
    rollout: token.rollout,
    has_pin: token.hasPin,
    created: token.createdAt.toISOString(),
    last_success: token.lastSuccessAt?.toISOString() ?? null,
  };
}

function transactionObjects(transactions: readonly RecentTransaction[] | null): object[] | null {
  return (
    transactions?.map(({ transactionId, serial, issuedAt, state, wrongCount }) => ({
      transaction_id: transactionId,
      serial,
      issued: issuedAt.toISOString(),
      state,
      wrong: wrongCount,
    })) ?? null
  );
}
