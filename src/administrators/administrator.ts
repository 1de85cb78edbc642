import { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { plainName } from '../kernel/text.ts';

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
      /** What was refused indeed, for the audit, where the answer must not tell. */
      readonly refused?: RefusedCredentials;
      readonly account?: string;
      /** The user of a directory, where it is one. */
      readonly user?: { readonly subject: string; readonly realm: string };
      /** Of single sign-on: no proof of the provider, no group that may sign in, no name that can be taken. */
      readonly reason?: 'provider' | 'groups' | 'name';
      /** The person whom the provider has named. */
      readonly person?: string;
      /** What failed, for the audit. */
      readonly why?: string;
    };
    /** Of single sign-on: what failed, for the audit, and the person whom the provider has named. */
    'sign-in.ended': { readonly why?: string; readonly person?: string };
    'sign-in.unavailable': NoPayload;
    /** The person has not proven a moment ago to be the one who signed in. */
    'confirmation.required': NoPayload;
    /** A proof that the person gave anew was wrong. The login goes on. */
    'confirmation.refused': { readonly credentials: RefusedCredentials; readonly account: string };
    'passkey.unknown': NoPayload;
    'passkey.invalid': NoPayload;
    'administrator.unknown': { readonly name?: string };
    'administrator.exists': NoPayload;
  }
}

export type RefusedCredentials =
  | 'password'
  | 'session'
  | 'login'
  | 'csrf token'
  | 'api token'
  | 'second factor'
  | 'single sign-on'
  /** A right password of a user of whom no token can confirm, or may take a wrong response of, a sign-in. */
  | 'token';

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

export const API_TOKEN = z.object({
  name: z.string().meta({ column: 'NAME' }),
  administrator: z.string(),
  rights: z.array(z.string()).meta({ column: 'RIGHTS' }),
  createdAt: z.date().meta({ column: 'CREATED' }),
  expiresAt: z.date().nullable().meta({ column: 'EXPIRES' }),
});

export type ApiToken = ReadonlyDeep<z.output<typeof API_TOKEN>>;

/** @returns the refusal of the removal of the only administrator */
export function lastAdministrator(): ServiceError {
  return new ServiceError('administrator.invalid', 'The last administrator cannot be removed');
}

/** The proof that an administrator gives besides the password. */
export type SecondFactor =
  | {
      readonly kind: 'token';
      /** Of a token of this server: OCRA, HOTP or TOTP. */
      readonly serial: string;
      /** Undefined: that token is gone or has another key. It opens nothing, and no token of that serial takes its place. */
      readonly tokenId: string | undefined;
    }
  | { readonly kind: 'passkey' };

/**
 * A colon would end it in HTTP Basic, and in a policy a comma, an exclamation mark or an asterisk would be read as more.
 * @returns the name of an administrator as it is kept (see `plainName`)
 * @throws ServiceError 'administrator.invalid'
 */
export function readAdministratorName(text: string): string {
  const name = plainName(text);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'An administrator has 1 to 128 letters, digits and any of . _ @ + -, and begins with a letter or a digit',
    );
  }
  return name;
}
