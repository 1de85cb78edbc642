import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Random } from '../kernel/clock.ts';
import type { SecondFactor } from './administrator.ts';
import type { UsedPasskey } from './passkey.ts';

const SECRET_LENGTH = 32;

/** @returns a new secret, such as that of a session: 43 characters of base64url, 256 random bits */
export function newSession(random: Random): string {
  return random.bytes(SECRET_LENGTH).toString('base64url');
}

/**
 * A plain hash is enough for 256 random bits.
 * @returns the values that the database keeps of a session or an API token
 */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

const SESSION_KINDS = ['session', 'login'] as const;

/**
 * The kind of a session: `session` to be carried by itself, as cookie and parameter; `login` to be named by a signed
 * token, which everybody who sees the token can read. What one serves for, the other does not.
 */
export type SessionKind = (typeof SESSION_KINDS)[number];

/** @returns the values that the database keeps of a session of that kind, which is found by no other kind */
export function sessionHash(session: string, kind: SessionKind): Buffer {
  return secretHash(kind === 'session' ? session : `login ${session}`);
}

/** @returns true if it can be a session at all */
export function isSessionShaped(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** A session that is open until it expires, unless it is revoked before. */
export interface OpenSession {
  readonly administrator: string;
  readonly expiresAt: Date;
  /** The groups of a person who signed in by single sign-on; undefined: an administrator of this server. */
  readonly groups?: readonly string[] | undefined;
}

/** An open session. */
export const SESSION = z.object({
  // Names it to those who may end it; opens nothing.
  id: z.string().meta({ column: 'ID' }),
  // Or the person who signed in by single sign-on.
  administrator: z.string().meta({ column: 'ADMINISTRATOR' }),
  kind: z.enum(SESSION_KINDS).meta({ column: 'KIND' }),
  // The address that opened it.
  client: z.string().meta({ column: 'CLIENT' }),
  createdAt: z.date().meta({ column: 'CREATED' }),
  expiresAt: z.date().meta({ column: 'EXPIRES' }),
  isOwn: z.boolean().describe('true: the session that asks'),
});

export type ListedSession = Readonly<z.output<typeof SESSION>>;

/** One session of an owner, or all of them. */
export interface SessionChoice {
  readonly owner: string;
  readonly id?: string | undefined;
}

/** Seconds from the password to the second factor. */
export const SIGN_IN_LIFETIME = 300;

/** @returns the values that the database keeps of the secret of a sign-in, confirmation, registration or link */
export function attemptHash(secret: string): Buffer {
  return secretHash(`sign-in ${secret}`);
}

/** A second factor that was asked for. */
export type RequestedFactor =
  | {
      readonly kind: 'token';
      readonly serial: string;
      readonly tokenId: string | undefined;
      /** Undefined: a response of HOTP or TOTP, which answers no challenge. */
      readonly transactionId?: string | undefined;
    }
  | { readonly kind: 'passkey'; readonly challenge: string };

/** The event that a sign-in that is under way waits for. */
export type SignInContent =
  | RequestedFactor
  /** A login whose owner proves to be the one who signed in. `login`: the hash of its session, base64. */
  | { readonly kind: 'confirmation'; readonly login: string; readonly factor: RequestedFactor }
  /** The registration of a passkey. `keeps`: the hash of the session that stays open, base64; undefined: none. */
  | { readonly kind: 'registration'; readonly challenge: string; readonly keeps?: string | undefined }
  /** A link by which a passkey may be registered. */
  | { readonly kind: 'link' };

/** A second factor that was proven. */
export interface ProvenFactor {
  readonly factor: SecondFactor;
  /** For a passkey. */
  readonly used?: UsedPasskey | undefined;
}
