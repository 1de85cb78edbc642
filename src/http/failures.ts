import type { ErrorCode } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** `json`: the body is not JSON. */
    'request.malformed': { readonly syntax?: 'json' };
    'request.too-large': NoPayload;
    'request.media-type': NoPayload;
    'path.unknown': NoPayload;
    /** A path of LinOTP that this server does not have. */
    'path.not-served': NoPayload;
    'method.not-allowed': NoPayload;
    'cross-site.refused': NoPayload;
    /** The name of the limit. */
    'too-many-requests': { readonly limit: string };
  }
}

/** The form of a failure on the wire. */
export interface FailureForm {
  /** The error number, which clients of the old interface read. */
  readonly legacyCode: number;
  /** Precedes the message. */
  readonly prefix: string;
  /** 200 unless another is agreed: the error is then in the body alone. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const PLAIN: FailureForm = { legacyCode: -311, prefix: '', status: 200 };
const FAULT: FailureForm = { ...PLAIN, status: 500 };
const numbered = (legacyCode: number): FailureForm => ({
  ...PLAIN,
  legacyCode,
  prefix: `ERR${legacyCode}: `,
});
const withStatus = (status: number, headers: Readonly<Record<string, string>> = {}): FailureForm => ({
  ...PLAIN,
  status,
  headers,
});

/** What the caller has read holds no longer. Only our own operations ask for it. */
const CHANGED = withStatus(409);

/** The challenge (RFC 9110 section 11.6.1) to people at our pages; no browser acts on it. */
export const SIGN_IN_CHALLENGE = 'Sign-In realm="tankeeper"';
const SIGN_IN = withStatus(401, { 'WWW-Authenticate': SIGN_IN_CHALLENGE });

/** A further step of an authenticated caller: pages tell it from other refusals by the scheme. */
const CONFIRM = withStatus(403, { 'WWW-Authenticate': 'Confirmation realm="tankeeper"' });

/** Every way to fail, once. No other module knows the codes and statuses of the wire. */
const FORMS: Readonly<Record<ErrorCode, FailureForm>> = {
  'parameter.missing': numbered(77),
  'parameter.invalid': PLAIN,
  'request.malformed': withStatus(400),
  'request.too-large': withStatus(413),
  'request.media-type': withStatus(415),
  'path.unknown': withStatus(404),
  'path.not-served': withStatus(404),
  'method.not-allowed': withStatus(405),
  'authentication.required': withStatus(401, {
    'WWW-Authenticate': 'Basic realm="tankeeper", charset="UTF-8"',
  }),
  'second-factor.required': SIGN_IN,
  'second-factor.unusable': SIGN_IN,
  'sign-in.refused': SIGN_IN,
  'sign-in.ended': SIGN_IN,
  'sign-in.unavailable': withStatus(503, { 'Retry-After': '10' }),
  'confirmation.required': CONFIRM,
  'confirmation.refused': CONFIRM,
  'passkey.unknown': PLAIN,
  'passkey.invalid': PLAIN,
  'right.missing': numbered(410),
  'cross-site.refused': withStatus(403),
  'too-many-requests': withStatus(429, { 'Retry-After': '60' }),
  'server.busy': withStatus(503, { 'Retry-After': '1' }),
  'user.unknown': numbered(1205),
  'user.exists': PLAIN,
  'user.ambiguous': PLAIN,
  'realm.unknown': PLAIN,
  'realm.changed': CHANGED,
  'resolver.unknown': PLAIN,
  'resolver.invalid': PLAIN,
  'resolver.changed': CHANGED,
  'resolver.in-use': PLAIN,
  'resolver.unavailable': PLAIN,
  'token.unknown': PLAIN,
  'token.exists': PLAIN,
  'token.ambiguous': PLAIN,
  'token.not-ocra': PLAIN,
  'token.not-ready': PLAIN,
  'token.state': PLAIN,
  'token.lost': PLAIN,
  'token.changed': CHANGED,
  'token.second-factor': PLAIN,
  'transaction.unknown': PLAIN,
  'token-status.unknown': PLAIN,
  'key-file.invalid': PLAIN,
  'key-file.secret': PLAIN,
  'import.refused': PLAIN,
  'challenge.too-long': PLAIN,
  'challenge.no-question': PLAIN,
  'challenge.url-ambiguous': PLAIN,
  'policy.unknown': PLAIN,
  'policy.invalid': PLAIN,
  'policy.changed': CHANGED,
  'administrator.unknown': PLAIN,
  'administrator.exists': PLAIN,
  'administrator.invalid': PLAIN,
  'configuration.invalid': PLAIN,
  'configuration.changed': CHANGED,
  'webhook.unknown': PLAIN,
  'webhook.invalid': PLAIN,
  'suite.invalid': PLAIN,
  'data-input.invalid': PLAIN,
  'activation-code.invalid': PLAIN,
  'qrtan-url.invalid': PLAIN,
  'callback-url.refused': PLAIN,
  'token.counter-exhausted': PLAIN,
  'duration.invalid': PLAIN,
  'key.unavailable': FAULT,
  'key.refused': PLAIN,
  'secret.unreadable': FAULT,
  'security-module.unavailable': numbered(707),
  'database.unavailable': withStatus(503, { 'Retry-After': '5' }),
  'audit.unverifiable': PLAIN,
  'clock.doubtful': PLAIN,
  'backup.invalid': PLAIN,
  'data-folder.in-use': FAULT,
  'database.not-empty': FAULT,
  'installation.missing': FAULT,
  'address.unavailable': FAULT,
  internal: FAULT,
};

/** @returns the form on the wire of failures of that code */
export function failureForm(code: ErrorCode): FailureForm {
  return FORMS[code];
}
