import { z } from 'zod';
import type { AdministratorService } from '../../../administrators/administrator-service.ts';
import { actOf } from '../../../policy/caller.ts';
import type { EnrolmentService } from '../../../challenges/enrolment/enrolment-service.ts';
import type { SessionCookies } from '../../authentication/cookies.ts';
import { notAuthenticated } from '../../authentication/credentials.ts';
import {
  administratorEndpoint,
  type Endpoint,
  type Method,
  valueChange,
  valueReading,
} from '../../endpoint-spec.ts';
import { QR_PARAMETERS, readQrOptions } from '../../qr-picture.ts';
import { withCookies } from '../../reply.ts';
import { optional, required, secret } from '../../request/parameters.ts';
import { count, done } from '../../answers.ts';
import { ENROLLED } from '../../dialects/ocra-answers.ts';
import type { TokenImportService } from '../../../challenges/enrolment/token-import-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { decodePskc, type KeyFileFormat } from '../../../tokens/key-file.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
const ENROLMENT = {
  type: optional('`ocra`, `ocra2`, `hmac`, `totp`, `pw` or `spass`; default: `hmac`', 'ocra'),
  serial: optional('the serial of the token; default: a generated one', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
  genkey: optional('`1`: the server generates the key', '1'),
  otpkey: secret(optional('the key, hexadecimal; the text of a token of the type pw')),
  sharedsecret: optional('`1`: the first phase of the roll-out', '1'),
  activationcode: secret(
    optional('the activation code: the second phase of the roll-out', 'GEZDGNBVGY3TQOJQ01'),
  ),
  message: optional('the text that the app displays in the second phase'),
  otplen: optional('the number of digits of HOTP and TOTP: 6 or 8', '6'),
  hashlib: optional('the hash function of HOTP and TOTP: `sha1`, `sha256` or `sha512`', 'sha1'),
  timestep: optional('the seconds of a step of TOTP: 30 or 60', '30'),
  ocrasuite: optional('the OCRA suite', 'OCRA-1:HOTP-SHA256-6:C-QA64'),
  pin: secret(optional('the token PIN')),
  ocrapin: secret(optional('the PIN of a suite with P')),
  description: optional('a description of the token'),
} as const;

export function adminEndpoints(
  enrolment: EnrolmentService,
  sessions: AdministratorService,
  cookies: SessionCookies,
): Endpoint[] {
  return [
    initEndpoint(enrolment),
    answerAddressEndpoint(enrolment),
    openSessionEndpoint(sessions, cookies),
    closeSessionEndpoint(sessions, cookies),
  ];
}

function initEndpoint(enrolment: EnrolmentService): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/init',
      methods: METHODS,
      summary: 'enrols a token, at once or in the two phases of the roll-out',
      requires: 'admin:init',
      answers: ENROLLED,
      usage: 'admin/init: enrol a token.',
      changesState: true,
      parameters: z.object({ ...ENROLMENT, ...QR_PARAMETERS }),
    },
    async ({ caller, parameters: { qr, width, ...request }, context, dialect }) => {
      const picture = readQrOptions({ qr, width });
      return dialect.enrolment.enrolled(await enrolment.init(caller, request), context, picture);
    },
  );
}

function answerAddressEndpoint(enrolment: EnrolmentService): Endpoint {
  return valueReading(
    {
      path: '/admin/answer-address',
      summary:
        'whether policies give a token that is to be enrolled the address of its responses (`qrtanurl`)',
      requires: 'admin:init',
      value: z.strictObject({
        address_count: count.describe(
          'the number of different addresses that policies give; a roll-out takes one',
        ),
        realm: z
          .string()
          .nullable()
          .describe('the realms of a policy that would give one and change no other token; null: none would'),
        proposed_address: z
          .string()
          .nullable()
          .describe('the address of this server by `PUBLIC_URL`; null: not known'),
      }),
      parameters: {
        serial: optional('the serial of a token that is enrolled anew', 'QR1'),
        user: ENROLMENT.user,
        realm: ENROLMENT.realm,
      },
    },
    async ({ caller, parameters }) => {
      const { values, proposed, realm } = await enrolment.answerAddress(caller, parameters);
      return { address_count: values, realm, proposed_address: proposed };
    },
  );
}

function openSessionEndpoint(sessions: AdministratorService, cookies: SessionCookies): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/getsession',
      methods: METHODS,
      summary: 'opens a session',
      requires: 'password',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'the cookie `admin_session`' },
      changesState: true,
      parameters: z.object({}),
    },
    async ({ proven, caller, context, dialect, servedAt }) => {
      const opened = proven && (await sessions.openSession(proven, actOf(caller, 'admin/getsession')));
      if (opened === undefined) {
        throw notAuthenticated();
      }
      return withCookies(dialect.administration.value(true, context), cookies(opened.session, servedAt));
    },
  );
}

function closeSessionEndpoint(sessions: AdministratorService, cookies: SessionCookies): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/dropsession',
      methods: METHODS,
      summary: 'closes the session',
      requires: 'credential',
      answers: done(),
      answerHeaders: { 'Set-Cookie': 'removes the cookie `admin_session`' },
      changesState: true,
      parameters: z.object({}),
    },
    async ({ session, login, caller, context, dialect, servedAt }) => {
      const act = actOf(caller, 'admin/dropsession');
      if (login !== undefined) {
        await sessions.closeSession(login, act, 'login');
      } else if (session !== undefined) {
        await sessions.closeSession(session, act);
      }
      return withCookies(dialect.administration.value(true, context), cookies('', servedAt));
    },
  );
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FILE_FORMATS: ReadonlyMap<string, KeyFileFormat> = new Map([
  ['pskc', 'pskc'],
  ['csv', 'csv'],
  ['oathcsv', 'csv'],
]);

export function loadTokensEndpoint(operations: TokenImportService): Endpoint {
  return valueChange(
    {
      path: '/admin/loadtokens',
      summary: 'loads the keys of a PSKC or CSV file, at most 16 MiB',
      requires: 'admin:loadtokens',
      value: z.strictObject({ imported: count.describe('the number of tokens that were added') }),
      usage: 'admin/loadtokens: load the tokens of a PSKC or CSV file.',
      large: { name: 'file', bytes: MAX_BODY_BYTES, decode: decodePskc },
      parameters: {
        file: secret(required('the PSKC file (RFC 6030), or the table')),
        type: optional('`pskc`, or `csv` (LinOTP: `oathcsv`)'),
        pskc_password: secret(optional('the password of the file')),
        pskc_preshared: secret(optional('the pre-shared key of the file, hexadecimal')),
        realm: optional('the realm of the tokens'),
        targetrealm: optional('the same, where `realm` is left out'),
      },
    },
    async ({ caller, parameters }) => {
      const { file, type = 'pskc', pskc_password, pskc_preshared, realm, targetrealm } = parameters;
      const format = FILE_FORMATS.get(type.trim().toLowerCase());
      if (format === undefined) {
        throw new ServiceError(
          'parameter.invalid',
          'Only files of the type pskc, csv and oathcsv can be loaded',
        );
      }
      const serials = await operations.load(caller, {
        format,
        file,
        password: pskc_password,
        preSharedKey: pskc_preshared,
        realm: realm ?? targetrealm,
      });
      return { imported: serials.length };
    },
  );
}
