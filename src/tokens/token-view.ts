import { z } from 'zod';
import { findRealm, type Configuration } from '../configuration/configuration.ts';
import { type Grant, holdsIn } from '../policy/access-control.ts';
import {
  conditionOf,
  type DescribedToken,
  describeToken,
  isLocked,
  type Token,
  type TokenCondition,
} from './token.ts';

const count = z.int().nonnegative();

const OWNER = z.object({ login: z.string().meta({ column: 'USER' }), resolver: z.string() }).nullable();

/** A token as every operation shows it. */
export const TOKEN = z.object({
  serial: z.string().meta({ column: 'SERIAL' }),
  type: z.string().meta({ column: 'TYPE' }),
  description: z.string(),
  owner: OWNER.describe('null: nobody'),
  ownerRealm: z
    .string()
    .nullable()
    .describe('a realm that the caller may see, and by which the owner is found'),
  realms: z.array(z.string()).meta({ column: 'REALMS', description: 'those that the caller may see' }),
  state: z.string().meta({
    column: 'STATE',
    description:
      '`active`, or the first reason why it takes no responses: `lost` first, then an unfinished roll-out',
  }),
  active: z.boolean(),
  lostAt: z
    .date()
    .nullable()
    .describe('when its device was reported lost; null: it was not, or was found again'),
  lostBy: z.string().nullable().describe('who reported it'),
  isLocked: z.boolean().describe('true: too many wrong responses'),
  isSecondFactor: z.boolean().describe('true: an administrator signs in with it'),
  rollout: z.enum(['phase1', 'phase2', 'complete']).describe('the phase of the roll-out'),
  hasPin: z.boolean().describe('true: there is a token PIN'),
  algorithm: z.string().nullable(),
  failCount: count.meta({ column: 'FAILS', description: 'wrong responses since the last right one' }),
  maxFail: count.describe('the number of wrong responses that locks the token'),
  use: z.object({
    validFrom: z.date().nullable().describe('null: from the beginning'),
    validUntil: z.date().nullable().describe('the first instant at which it is no longer valid; null: none'),
    useCount: count.describe('the number of responses, counted while a maximum is set'),
    maxUses: count.nullable().describe('the number of responses after which none is accepted; null: any'),
    successCount: count.describe('the number of accepted responses, counted while a maximum is set'),
    maxSuccesses: count.nullable().describe('the number of accepted responses; null: any'),
  }),
  counter: z.bigint().describe('the next counter: 64 bits, as a text'),
  counterWindow: count,
  syncWindow: count,
  timeShift: z.int().describe('seconds that the device is ahead'),
  revision: z.string().describe('raised by one by each change by people, not by responses'),
  createdAt: z.date(),
  lastSuccessAt: z.date().nullable().describe('the time of the last accepted response'),
});

/** A token as those see it who administer it: without secrets, and without realms that they may not see. */
export interface TokenView extends DescribedToken {
  readonly state: TokenCondition;
  readonly isLocked: boolean;
  /** True if an administrator signs in with it. */
  readonly isSecondFactor: boolean;
  /** A visible realm by which the owner is found; null: nobody owns it, or no visible realm has the owner's resolver. */
  readonly ownerRealm: string | null;
}

/** The configuration and the extent of `admin:show` by which a token is viewed, and the time. */
interface Viewing {
  readonly configuration: Configuration;
  readonly grant: Grant;
  readonly now: Date;
}

export function viewOf(token: Token, { configuration, grant, now }: Viewing): TokenView {
  const realms = token.realms.filter((name) => holdsIn(grant, name));
  return {
    ...describeToken(token),
    realms,
    state: conditionOf(token, now),
    isLocked: isLocked(token),
    isSecondFactor: token.isSecondFactor,
    ownerRealm: token.owner === null ? null : realmOf(configuration, grant, token.owner.resolver, realms),
  };
}

/** @returns the visible realms that have the resolver: the default one first, the others by name */
export function realmsWith(configuration: Configuration, grant: Grant, resolver: string): readonly string[] {
  const usual = findRealm(configuration, '')?.name;
  const names = configuration.realms
    .filter(({ resolvers }) => resolvers.includes(resolver))
    .map(({ name }) => name)
    .filter((name) => holdsIn(grant, name));
  return [...names.filter((name) => name === usual), ...names.filter((name) => name !== usual)];
}

/** @returns one of the token's own realms where that is possible */
function realmOf(
  configuration: Configuration,
  grant: Grant,
  resolver: string,
  tokenRealms: readonly string[],
): string | null {
  const names = realmsWith(configuration, grant, resolver);
  return names.find((name) => tokenRealms.includes(name)) ?? names[0] ?? null;
}
