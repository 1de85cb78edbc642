import { z } from 'zod';
import { parseJsonOrUndefined } from '../kernel/text.ts';

/** The setting that has the fields of the licence, as JSON. */
export const LICENCE_KEY = 'monitoring.license';

/** A subscription to support: the fields of the setting. */
export interface Licence {
  readonly fields: { readonly expire: string; readonly [name: string]: string | number | boolean };
  /** Users who own at least one active token, or active tokens, assigned or not. */
  readonly unit: 'user' | 'token';
  /** Licensed number of units. */
  readonly licensed: number;
  /** The first instant at which it is no longer valid. */
  readonly endsAt: Date;
}

const DAY = 24 * 60 * 60 * 1000;
const volume = z.int().min(1).optional();
const FIELDS = z
  .object({ 'user-num': volume, 'token-num': volume, expire: z.iso.date() })
  .catchall(z.union([z.string(), z.number(), z.boolean()]))
  .refine((fields) => (fields['user-num'] === undefined) !== (fields['token-num'] === undefined));

/** What the text must be: it goes on after `must be`. */
export const LICENCE_FORM =
  'a JSON object of texts, numbers and booleans, with "user-num" or "token-num" (from 1) and the last day as "expire" ("2027-12-31")';

/** @returns undefined for a text of another form than `LICENCE_FORM` */
export function readLicence(text: string): Licence | undefined {
  const { success, data: fields } = FIELDS.safeParse(parseJsonOrUndefined(text));
  if (!success) {
    return undefined;
  }
  const { 'user-num': users, 'token-num': tokens = 0, expire } = fields;
  const volume =
    users === undefined
      ? { unit: 'token' as const, licensed: tokens }
      : { unit: 'user' as const, licensed: users };
  return { ...volume, fields, endsAt: new Date(Date.parse(expire) + DAY) };
}
