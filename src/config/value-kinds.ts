import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../kernel/clock.ts';
import { maskPassword } from '../kernel/text.ts';
import { NetworkSet } from '../kernel/networks.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** Allowed values of a variable, as error messages and the reference show them. */
    allowed?: string;
    /** Hides the secret part of a value wherever the value is shown. */
    mask?: (value: string) => string;
  }
}

const NETWORK_NAMES = ['loopback', 'linklocal', 'uniquelocal'] as const;

/**
 * A text of at least one character.
 * @param allowed as the reference shows it
 */
export function text(allowed: string): z.ZodString {
  return z.string().min(1).meta({ allowed });
}

/** One of several words. */
export function oneOf<const Value extends string>(...values: Value[]): z.ZodType<Value, string> {
  return z.enum(values).meta({ allowed: values.join(', ') });
}

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ allowed: `a whole number from ${min} to ${max}` });
}

/**
 * A duration, read as seconds.
 * @param min seconds; default: 1
 */
export function duration(allowed: string, max = Infinity, min = 1): z.ZodType<number, string> {
  return z
    .string()
    .transform((value, context) => {
      try {
        return parseDuration(value);
      } catch {
        context.addIssue('not a duration');
        return z.NEVER;
      }
    })
    .pipe(z.number().min(min).max(max))
    .meta({ allowed });
}

/** A duration, or `off`. */
export function durationOrOff(allowed: string): z.ZodType<number | 'off', string> {
  return z.union([z.literal('off'), duration(allowed)]).meta({ allowed: `${allowed}, or off` });
}

/** A day, read as its first instant in UTC. */
export const day: z.ZodType<Date, string> = z.iso
  .date()
  .transform((value) => new Date(`${value}T00:00:00Z`))
  .meta({ allowed: 'a date such as 2027-12-31' });

const list = z.string().transform((value) => value.split(',').map((entry) => entry.trim()));

/** Absolute folders, separated by commas. */
export const folders: z.ZodType<readonly string[], string> = list
  .pipe(z.array(z.string().refine(isAbsolute)))
  .meta({ allowed: 'absolute folders, comma separated' });

/** Hosts of this machine, as URLs write them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An origin, as browsers write it: without a path, and without the port that its scheme implies. */
const origin = z
  .string()
  .regex(/^https?:\/\/[^\s/?#@*\\]+$/i)
  .refine((value) => URL.canParse(value))
  .transform((value) => new URL(value))
  .refine(({ protocol, hostname }) => protocol === 'https:' || LOOPBACK.test(hostname))
  .transform((url) => url.origin);

const SERVER_PATH = /^\/(?:[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*\/?)?$/;

const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s#@\\]+$/i)
  .refine((value) => URL.canParse(value))
  .refine((value) => new URL(value).protocol === 'https:' || LOOPBACK.test(new URL(value).hostname));

/** An address that browsers open. */
export const oneUrl: z.ZodType<string, string> = httpUrl.meta({
  allowed: 'a URL with https://; http:// for this machine only',
});

/** The address of a server, with the path below which a proxy shows it, if any, and no slash at its end. */
export const serverAddress: z.ZodType<string, string> = httpUrl
  .refine((value) => !value.includes('?') && SERVER_PATH.test(new URL(value).pathname))
  .transform((value) => new URL(value))
  .transform(({ origin: server, pathname }) => server + pathname.replace(/\/$/, ''))
  .meta({
    allowed:
      'an address such as https://tan.example.com or https://example.com/tan; http:// for this machine only',
  });

/** The issuer of an OpenID Connect provider, as its metadata writes it. */
export const issuer: z.ZodType<string, string> = httpUrl
  .refine((value) => !value.includes('?'))
  .meta({ allowed: 'an issuer such as https://login.example.com/realms/staff' });

/** Groups of a provider, each with a group of policies. */
export const groupMapping: z.ZodType<ReadonlyMap<string, string>, string> = z
  .string()
  // A group of a directory has commas itself: only one behind `=group:NAME` separates.
  .transform((value) => value.split(/(?<==group:[\w.-]+\s*),/))
  .transform((pairs) => pairs.map((entry) => /^([^,].*)=group:([\w.-]{1,64})$/.exec(entry.trim())))
  .transform((entries, context) => {
    const groups = new Map(entries.map((entry) => [entry?.[1]?.trim() ?? '', entry?.[2] ?? '']));
    // Of two pairs of one group, only one would apply.
    if (entries.includes(null) || groups.size < entries.length) {
      context.addIssue('not a mapping');
      return z.NEVER;
    }
    return groups;
  })
  .meta({
    allowed:
      'pairs such as helpdesk-team=group:helpdesk or CN=Desk,DC=example,DC=com=group:desk, comma separated',
  });

/** Origins, separated by commas. */
export const origins: z.ZodType<readonly string[], string> = list.pipe(z.array(origin)).meta({
  allowed: 'origins such as https://app.example.com, comma separated; http:// for this machine only',
});

/**
 * The networks that limits can read: of an IPv4-mapped network, the prefix covers the 96 bits before the IPv4 address.
 */
const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((entry) => new NetworkSet().add(entry));

/**
 * Addresses and networks, separated by commas.
 * @param names additional words that stand for networks
 */
export function networks(...names: string[]): z.ZodType<readonly string[], string> {
  const words = [...NETWORK_NAMES, ...names];
  return list
    .pipe(z.array(z.union([network, z.enum(words)])))
    .meta({ allowed: `addresses or networks, comma separated, or ${words.join(', ')}` });
}

/** The URL of a PostgreSQL database. */
export const databaseUrl: z.ZodType<string, string> = z
  .string()
  .regex(/^postgres(ql)?:\/\/./)
  .refine((value) => URL.canParse(value) || value.includes('host=/'))
  // A password with an unescaped / would be read as the name of the database.
  .refine((value) => !URL.canParse(value) || !new URL(value).pathname.includes('@'))
  .meta({ allowed: 'postgres://user:password@host:port/database', mask: maskPassword });
