import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../kernel/errors.ts';
import { parseJsonObject } from '../../kernel/text.ts';

/** Settings of a resolver: names in canonical case, values as texts, as LinOTP keeps them. */
export type Settings = Readonly<Record<string, string>>;

/** The description of a setting: for people, the form of the console and the help of the command. */
export interface SettingFacts {
  /** A sentence, with its full stop. */
  readonly description: string;
  /** The value that applies without one. */
  readonly default?: string;
  /** The only values. */
  readonly values?: readonly string[];
  /** A value of a usual installation. */
  readonly example?: string;
  /** `lines`: several lines; `json`: a JSON object of texts. Default: one line. */
  readonly form?: 'lines' | 'json';
  /** A password: it is written, and never shown. */
  readonly isSecret?: true;
  /** The stored password must be given again where it changes. */
  readonly isBoundToSecret?: true;
}

export function setting<Schema extends z.ZodType>(schema: Schema, facts: SettingFacts): Schema {
  return schema.meta({ ...facts });
}

const MAX_LENGTH = 8_192;

export const line = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'is not a text') })
  .max(MAX_LENGTH, 'is too long')
  .refine((value) => !/[^\P{Cc}\t]|\p{Surrogate}/u.test(value), 'holds a line end or a control character');

export const flag = z.stringbool({
  truthy: ['true', 'yes', 'on', '1'],
  falsy: ['false', 'no', 'off', '0'],
  error: 'is True or False',
});

export function whole(min: number, max: number): z.ZodType<number, string> {
  return line
    .refine((value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `is a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** @returns the certificates of a text in PEM form that can be read */
function certificatesIn(pem: string): readonly X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).flatMap((one) => {
    try {
      return [new X509Certificate(one)];
    } catch {
      return [];
    }
  });
}

export const authorities = setting(
  z
    .string()
    .max(32 * MAX_LENGTH, 'is too long')
    .refine(
      (pem) =>
        pem.replaceAll(CERTIFICATE, '').trim() === '' &&
        pem.match(CERTIFICATE)?.length === certificatesIn(pem).length,
      'is not a certificate in PEM form (-----BEGIN CERTIFICATE-----)',
    )
    .transform((pem) => pem.match(CERTIFICATE)?.join('\n'))
    .optional(),
  {
    description: 'Trusted authorities in PEM form; without them, those of Node.js.',
    form: 'lines',
    isBoundToSecret: true,
  },
);

/** A JSON object such as `{"userid": "id"}`: its keys in any case, empty texts as if they were absent. */
export function jsonObject<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  return z.preprocess((text, context) => {
    if (text === undefined) {
      context.addIssue('is missing');
      return z.NEVER;
    }
    const parsed = typeof text === 'string' && text.length <= MAX_LENGTH ? parseJsonObject(text) : undefined;
    if (parsed === undefined) {
      context.addIssue('is not a JSON object');
      return z.NEVER;
    }
    return Object.fromEntries(
      Object.entries(parsed).map(([key, value]) => {
        const trimmed: unknown = typeof value === 'string' ? value.trim() : value;
        return [key.trim().toLowerCase(), trimmed === '' ? undefined : trimmed];
      }),
    );
  }, schema);
}

/** A key of a JSON object that old configurations have, without a meaning here. */
export const ignored = z.unknown().optional();

/** @throws ServiceError 'resolver.invalid' that names the setting, and quotes no value */
export function readSettings<Schema extends z.ZodType>(schema: Schema, settings: Settings): z.output<Schema> {
  const read = schema.safeParse(settings);
  const issue = read.error?.issues[0];
  if (issue !== undefined) {
    const [name = '', key] = issue.path;
    const where = key === undefined ? '' : `has for ${String(key)} what `;
    const why =
      issue.code === 'unrecognized_keys'
        ? `has the key '${issue.keys.join().slice(0, 100)}', which is not known here`
        : issue.message;
    throw invalidSetting(String(name), where + why);
  }
  return read.data as z.output<Schema>;
}

export function invalidSetting(name: string, why: string): ServiceError {
  return new ServiceError('resolver.invalid', `The setting ${name} ${why}`);
}

/**
 * @param names the known names, in canonical case
 * @returns the settings under their canonical names, trimmed, without empty ones
 * @throws ServiceError 'resolver.invalid' with the name of one that is unknown or given twice
 */
export function canonicalSettings(kind: string, names: readonly string[], values: Settings): Settings {
  const settings = new Map<string, string>();
  for (const [written, value] of Object.entries(values)) {
    const name = names.find((known) => known.toLowerCase() === written.trim().toLowerCase());
    if (name === undefined) {
      const taken = names.length === 0 ? 'takes no settings' : `takes these settings: ${names.join(', ')}`;
      throw invalidSetting(
        `'${written.slice(0, 100)}'`,
        `is unknown: a resolver of the kind ${kind} ${taken}`,
      );
    }
    if (settings.has(name)) {
      throw invalidSetting(name, 'is given twice');
    }
    settings.set(name, value.trim());
  }
  return Object.fromEntries([...settings].filter(([, value]) => value !== ''));
}

/** @returns the end of the certificate in CACERTIFICATE that ends first; undefined: there is none that can be read */
export function certificateEnd({ CACERTIFICATE: pem = '' }: Settings): Date | undefined {
  const ends = certificatesIn(pem).map(({ validTo }) => Date.parse(validTo));
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}
