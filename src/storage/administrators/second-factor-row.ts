import type { SecondFactor } from '../../administrators/second-factor.ts';

/** The columns of `administrators` that hold the second factor. */
export interface SecondFactorRow {
  readonly second_factor: SecondFactor['kind'] | null;
  readonly second_factor_serial: string | null;
}

/** @returns the second factor of a row of `administrators` */
export function secondFactorOf({
  second_factor: kind,
  second_factor_serial: serial,
}: SecondFactorRow): SecondFactor | undefined {
  return kind === null ? undefined : kind === 'token' ? { kind, serial: serial ?? '' } : { kind };
}
