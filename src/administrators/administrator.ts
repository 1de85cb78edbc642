import { ServiceError } from '../kernel/errors.ts';
import type { SecondFactor } from './second-factor.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The refused credentials, and their account. Both absent if no credentials were given. */
    'authentication.required': { readonly credentials?: RefusedCredentials; readonly account?: string };
    /** A right password of that account, which is not enough. */
    'second-factor.required': { readonly account: string };
    'second-factor.unusable': { readonly account: string };
    /** A proof of a sign-in was wrong. */
    'sign-in.refused': {
      readonly credentials: RefusedCredentials;
      readonly account?: string;
      /** Of single sign-on: no proof of the provider, no group that may sign in, no name that can be taken. */
      readonly reason?: 'provider' | 'groups' | 'name';
    };
    'sign-in.ended': NoPayload;
    'sign-in.unavailable': NoPayload;
    /** The person has not proven a moment ago to be the one who signed in. */
    'confirmation.required': NoPayload;
    /** A proof that the person gave anew was wrong. The login goes on. */
    'confirmation.refused': { readonly credentials: RefusedCredentials; readonly account: string };
    'passkey.unknown': NoPayload;
    'passkey.invalid': NoPayload;
    'administrator.unknown': { readonly name?: string };
    'administrator.exists': NoPayload;
    'administrator.invalid': NoPayload;
  }
}

export type RefusedCredentials =
  'password' | 'session' | 'login' | 'csrf token' | 'api token' | 'second factor' | 'single sign-on';

export interface Administrator {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
  /** Undefined: the password alone is enough. */
  readonly secondFactor?: SecondFactor | undefined;
}

/** A password that was verified, with its version, because it may change before it is used. */
export interface ProvenPassword {
  readonly administrator: string;
  /** SHA-256 of the hash that the password was verified against. */
  readonly version: Buffer;
  /** The second factor that the administrator has: with one, the password alone opens nothing. */
  readonly secondFactor?: SecondFactor | undefined;
}

export interface ApiToken {
  readonly name: string;
  readonly administrator: string;
  readonly rights: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** @returns the refusal of the removal of the only administrator */
export function lastAdministrator(): ServiceError {
  return new ServiceError('administrator.invalid', 'The last administrator cannot be removed');
}
