import { X509Certificate } from 'node:crypto';

import { ServiceError } from '../../kernel/errors.ts';
import { parseJsonObject } from '../../kernel/text.ts';

/** Settings of a resolver: names in canonical case, values as texts, as LinOTP keeps them. */
export type Settings = Readonly<Record<string, string>>;

const MAX_LENGTH = 8_192;
const YES = ['true', 'yes', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

export function invalidSetting(name: string, why: string): ServiceError {
  return new ServiceError('resolver.invalid', `The setting ${name} ${why}`);
}

/**
 * @param names the known names, in canonical case
 * @returns the settings under their canonical names, trimmed, without empty ones
 * @throws ServiceError 'resolver.invalid' with the name of one that is unknown, given twice, too long or not a text
 */
export function canonicalSettings(kind: string, names: readonly string[], values: Settings): Settings {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  const settings = new Map<string, string>();
  for (const [written, value] of Object.entries(values)) {
    const name = known.get(written.trim().toLowerCase());
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
    assertText(name, value);
    settings.set(name, value.trim());
  }
  return Object.fromEntries([...settings].filter(([, value]) => value !== ''));
}

/** Line ends are for certificates; a later check of each setting refuses them elsewhere. */
function assertText(name: string, value: string): void {
  if (value.length > MAX_LENGTH * (name === 'CACERTIFICATE' ? 32 : 1)) {
    throw invalidSetting(name, 'is too long');
  }
  const plain = value.replace(/[\t\r\n]/g, ' ');
  if (/\p{Cc}|\p{Surrogate}/u.test(plain)) {
    throw invalidSetting(name, 'holds control characters');
  }
}

/**
 * @returns true if the setting is on
 * @throws ServiceError 'resolver.invalid' for a value that is neither yes nor no
 */
export function readFlag(settings: Settings, name: string, fallback: boolean): boolean {
  const value = (settings[name] ?? String(fallback)).toLowerCase();
  if (!YES.includes(value) && !NO.includes(value)) {
    throw invalidSetting(name, 'is True or False');
  }
  return YES.includes(value);
}

/**
 * @returns the whole number, undefined if it is not set
 * @throws ServiceError 'resolver.invalid'
 */
export function readWhole(
  settings: Settings,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const value = settings[name];
  if (value === undefined) {
    return undefined;
  }
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw invalidSetting(name, `is a whole number from ${min} to ${max}`);
  }
  return number;
}

export function requireSetting(settings: Settings, name: string): string {
  const value = settings[name];
  if (value === undefined) {
    throw invalidSetting(name, 'is missing');
  }
  return value;
}

/**
 * Reads a setting that is a JSON object of texts, such as `{"userid": "id"}`.
 * @param known the supported keys, in lower case
 * @param ignored keys without a meaning here, which old configurations have
 * @returns the texts by their keys in lower case, without empty ones
 * @throws ServiceError 'resolver.invalid' that names the setting, and the key
 */
export function readMap(
  settings: Settings,
  name: string,
  { known, ignored = [] }: { readonly known: readonly string[]; readonly ignored?: readonly string[] },
): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [written, value] of Object.entries(parseObject(name, requireSetting(settings, name)))) {
    const key = written.trim().toLowerCase();
    if (typeof value !== 'string') {
      throw invalidSetting(name, `maps '${written.slice(0, 100)}' to something that is not a text`);
    }
    if (known.includes(key) && value.trim() !== '') {
      map.set(key, value.trim());
    } else if (!known.includes(key) && !ignored.includes(key)) {
      throw invalidSetting(name, `has the key '${written.slice(0, 100)}'. Known: ${known.join(', ')}`);
    }
  }
  return map;
}

function parseObject(name: string, text: string): object {
  const parsed = parseJsonObject(text);
  if (parsed === undefined) {
    throw invalidSetting(name, 'is not a JSON object');
  }
  return parsed;
}

/** @throws ServiceError 'resolver.invalid' if a given setting is not one or more certificates in PEM form */
export function assertCertificates(settings: Settings, name: string): void {
  const pem = settings[name];
  const certificate = '-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----\\s*';
  if (pem !== undefined && !new RegExp(`^(?:${certificate})+$`).test(pem)) {
    throw invalidSetting(name, 'is not a certificate in PEM form (-----BEGIN CERTIFICATE-----)');
  }
}

/** @returns the end of the certificate in CACERTIFICATE that ends first; undefined: there is none that can be read */
export function certificateEnd({ CACERTIFICATE: pem = '' }: Settings): Date | undefined {
  const ends = (pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? []).flatMap(
    (one) => {
      try {
        return [Date.parse(new X509Certificate(one).validTo)];
      } catch {
        return [];
      }
    },
  );
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** @throws ServiceError 'resolver.invalid' if a setting of one line has several */
export function assertOneLine(settings: Settings, names: readonly string[]): void {
  const broken = names.find((name) => /[\r\n]/.test(settings[name] ?? ''));
  if (broken !== undefined) {
    throw invalidSetting(broken, 'holds a line end');
  }
}
