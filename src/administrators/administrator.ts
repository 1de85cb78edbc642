import { ServiceError } from '../kernel/errors.ts';
import type { SecondFactor } from './second-factor.ts';

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
