import { z } from 'zod';
import { authorities, flag, ignored, jsonObject, line, setting, whole } from './setting-values.ts';

const YES_NO = ['True', 'False'] as const;

/** descr or numericoid (RFC 4512 §1.4). */
const attribute = line.regex(
  /^(?:[A-Za-z][A-Za-z0-9-]{0,127}|\d+(?:\.\d+){1,20})$/,
  'is not the name of an attribute',
);

export interface LdapServer {
  readonly host: string;
  readonly port: number;
  /** TLS begins with the connection (`ldaps`). */
  readonly secure: boolean;
}

const servers = line.transform((text, context) =>
  text.split(',').map((part): LdapServer => {
    const uri = part.trim();
    if (!/^ldaps?:\/\/[^/?#@\s]+\/?$/i.test(uri) || !URL.canParse(uri)) {
      context.addIssue('is a comma list of ldap://host:port and ldaps://host:port');
      return z.NEVER;
    }
    const { protocol, hostname, port } = new URL(uri);
    const secure = protocol === 'ldaps:';
    const usualPort = secure ? 636 : 389;
    const host = hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
    return { host, port: port === '' ? usualPort : Number(port), secure };
  }),
);

/** Parentheses in values are written `\28` and `\29` (RFC 4515 §3), so every literal one is counted. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const [parenthesis] of filter.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

const filter = line.refine((text) => /^\(.*\)$/.test(text) && isBalanced(text), {
  error: 'is not a filter in parentheses that close',
});

const USUAL_TIMEOUT = 5;
const MAX_TIMEOUT = 300;

/** Seconds, as `5`, or `5;10`: to connect, and for each answer; 0: as usual. */
const timeouts = line
  .regex(/^\d{1,4}(?:\.\d{1,3})?(?:\s*[;,]\s*\d{1,4}(?:\.\d{1,3})?)?$/, {
    error: 'is a number of seconds such as 5, or two such as 5;10',
  })
  .default(String(USUAL_TIMEOUT))
  .transform((text) => {
    const [connect = 0, answer = connect] = text
      .split(/[;,]/)
      .map((part) => Math.round(Math.min(Number(part) || USUAL_TIMEOUT, MAX_TIMEOUT) * 1_000));
    return { connect, answer };
  });

/**
 * Attributes that hold bytes, by their names in lower case; eDirectory has its own GUID, and LinOTP's name for Active
 * Directory's is the same.
 */
const BYTES = new Map<string, readonly string[]>([
  ['objectguid', ['objectGUID']],
  ['guid', ['GUID', 'objectGUID']],
  ['objectsid', ['objectSid']],
  ['ms-ds-consistencyguid', ['mS-DS-ConsistencyGuid']],
]);

/**
 * The source of a user's id: the entry's DN, the hex digits of the bytes in the first of these attributes that it has, or
 * the text of an attribute.
 */
export type LdapUserId =
  | { readonly kind: 'dn' }
  | { readonly kind: 'bytes'; readonly names: readonly string[] }
  | { readonly kind: 'attribute'; readonly name: string };

const userId = attribute.default('dn').transform((name): LdapUserId => {
  const names = BYTES.get(name.toLowerCase());
  if (names !== undefined) {
    return { kind: 'bytes', names };
  }
  return name.toLowerCase() === 'dn' ? { kind: 'dn' } : { kind: 'attribute', name };
});

/** What a resolver of the kind ldap takes, by LinOTP's names and in its forms. */
export const LDAP_SETTINGS = z.object({
  LDAPURI: setting(servers, {
    description:
      'The addresses, as ldap://host:port or ldaps://host:port; several separated by commas, as alternatives.',
    example: 'ldaps://ldap.example.com',
    isBoundToSecret: true,
  }),
  LDAPBASE: setting(line, {
    description: 'The DN above all users.',
    example: 'ou=people,dc=example,dc=com',
  }),
  BINDDN: setting(line.optional(), {
    description: 'The account for searches; without it, searches are anonymous.',
    isBoundToSecret: true,
  }),
  BINDPW: setting(line.optional(), { description: 'Password of this account.', isSecret: true }),
  TIMEOUT: setting(timeouts, {
    description: 'Seconds to connect and for each answer; `2;10` for the two.',
    default: String(USUAL_TIMEOUT),
  }),
  SIZELIMIT: setting(whole(0, 100_000_000).optional(), {
    description: 'The most users in a list; every user is found and counted. 0: no limit.',
    default: '0',
  }),
  LOGINNAMEATTRIBUTE: setting(attribute, { description: 'The attribute with the login.', example: 'uid' }),
  LDAPSEARCHFILTER: setting(filter, {
    description: 'The filter of all users; several in a row must all hold.',
    example: '(objectClass=inetOrgPerson)',
  }),
  LDAPFILTER: setting(
    filter.refine((text) => text.includes('%s'), 'lacks %s, which stands for the login'),
    {
      description: 'The filter of the user with the login %s.',
      example: '(&(uid=%s)(objectClass=inetOrgPerson))',
    },
  ),
  USERINFO: setting(
    jsonObject(
      z.strictObject({
        username: attribute.optional(),
        phone: attribute.optional(),
        mobile: attribute.optional(),
        email: attribute.optional(),
        surname: attribute.optional(),
        givenname: attribute.optional(),
        userid: ignored,
        description: ignored,
        gender: ignored,
        groups: ignored,
        password: ignored,
      }),
    ).optional(),
    {
      description: 'The attributes of givenname, surname, email, phone and mobile.',
      form: 'json',
      example: '{"givenname": "givenName", "surname": "sn", "email": "mail"}',
    },
  ),
  UIDTYPE: setting(userId, {
    description:
      'The id of a user, which binds tokens: `dn`, `entryUUID`, `objectGUID`, `GUID`, `objectSid`, or any attribute of texts.',
    default: 'dn',
    example: 'entryUUID',
  }),
  NOREFERRALS: setting(flag.optional(), {
    description: 'Has no effect: referrals are never followed.',
    default: 'False',
    values: YES_NO,
  }),
  EnforceTLS: setting(flag.optional(), {
    description: 'True requires StartTLS on ldap://.',
    default: 'False',
    values: YES_NO,
    isBoundToSecret: true,
  }),
  only_trusted_certs: setting(flag.optional(), {
    description: 'False accepts any certificate, also that of a man in the middle.',
    default: 'True',
    values: YES_NO,
    isBoundToSecret: true,
  }),
  CACERTIFICATE: authorities,
});
