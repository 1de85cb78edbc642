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
import { optional, required, secret } from '../../request/parameters.ts';
import { type Answers, count, done, orPicture, valueOf } from '../../answers.ts';
import type { TokenImportService } from '../../../challenges/enrolment/token-import-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { decodePskc } from '../../../tokens/key-file.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
const ENROLMENT = {
  type: optional('`ocra` or `ocra2`', 'ocra'),
  serial: optional('the serial of the token; default: a generated one', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
  genkey: optional('`1`: the server generates the key', '1'),
  otpkey: secret(optional('the key, hexadecimal')),
  sharedsecret: optional('`1`: the first phase of the roll-out', '1'),
  activationcode: secret(
    optional('the activation code: the second phase of the roll-out', 'GEZDGNBVGY3TQOJQ01'),
  ),
  message: optional('the text that the app displays in the second phase'),
  ocrasuite: optional('the OCRA suite', 'OCRA-1:HOTP-SHA256-6:C-QA64'),
  pin: secret(optional('the token PIN')),
  ocrapin: secret(optional('the PIN of a suite with P')),
  description: optional('a description of the token'),
} as const;

/** An URL or a key for import into an app. */
export const IMPORT_ENTRY = z.strictObject({
  img: z.string().describe('an `<img>` with the QR code; empty where there is nothing to import'),
  order: z.string().describe('the position among several entries'),
  value: z.string().nullable().describe('the content of the QR code'),
  description: z.string(),
});
const serial = z.string().describe('the serial of the token');
const appImport = z.string().describe('the URL that the app imports: `lseqr://init?…`, `lseqr://nonce?…`');

const phase1 = z.strictObject({
  app_import: appImport,
  serial,
  ocraurl: IMPORT_ENTRY,
  sharedsecret: z.string().describe('the shared secret, hexadecimal'),
});
const phase2 = z.strictObject({
  serial,
  nonce: z.string().describe('the nonce, hexadecimal'),
  transactionid: z.string().describe('the first transaction, which completes the roll-out'),
  challenge: z.string().describe('the question of the first transaction'),
  url: z.string().describe('the address that the app sends the response to; empty without a policy'),
  signature: z.string().describe('the signature of `app_import`, hexadecimal'),
  app_import: appImport,
  ocraurl: IMPORT_ENTRY,
});
const plain = z.strictObject({ serial, ocraurl: IMPORT_ENTRY, otpkey: IMPORT_ENTRY });

/** The details of the answers of /admin/init: phase 1, phase 2, and a token that is ready at once. */
export const ENROLMENT_DETAIL = z.union([phase1, phase2, plain]);
/** In LinOTP the serial is missing where the client chose it. */
export const LINOTP_ENROLMENT_DETAIL = z.union([phase1, phase2, plain.extend({ serial: serial.optional() })]);

const SECRET = '3132333435363738393031323334353637383930';
const URL = `lseqr://init?sh=${SECRET}&os=OCRA-1%3AHOTP-SHA256-6%3AC-QA64&se=QR1`;
const EXAMPLE = {
  value: true,
  detail: {
    app_import: URL,
    serial: 'QR1',
    ocraurl: {
      img: '<img id="challenge_qrcode" width="250" src="data:image/png;base64,…">',
      order: '0',
      value: URL,
      description: 'OCRA URL',
    },
    sharedsecret: SECRET,
  },
};

const ENROLLED: Answers = {
  documented: orPicture(valueOf(z.literal(true), { detail: ENROLMENT_DETAIL, example: EXAMPLE })),
  linotp: orPicture(
    valueOf(z.literal(true), {
      detail: LINOTP_ENROLMENT_DETAIL,
      example: EXAMPLE,
    }),
  ),
};

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
      path: '/admin/answeraddress',
      summary:
        'whether policies give a token that is to be enrolled the address of its responses (`qrtanurl`)',
      requires: 'admin:init',
      value: z.strictObject({
        values: count.describe('the number of different addresses that policies give; a roll-out takes one'),
        realm: z
          .string()
          .nullable()
          .describe('the realms of a policy that would give one and change no other token; null: none would'),
        proposed: z
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
    ({ caller, parameters }) => enrolment.answerAddress(caller, parameters),
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
      const reply = dialect.administration.value(true, context);
      return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookies(opened.session, servedAt) } };
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
      const reply = dialect.administration.value(true, context);
      return { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookies('', servedAt) } };
    },
  );
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

export function loadTokensEndpoint(operations: TokenImportService): Endpoint {
  return valueChange(
    {
      path: '/admin/loadtokens',
      summary: 'loads the keys of a PSKC file, at most 16 MiB',
      requires: 'admin:loadtokens',
      value: z.strictObject({ imported: count.describe('the number of tokens that were added') }),
      usage: 'admin/loadtokens: load the tokens of a PSKC file.',
      large: { name: 'file', bytes: MAX_BODY_BYTES, decode: decodePskc },
      parameters: {
        file: secret(required('the PSKC file (RFC 6030)')),
        type: optional('`pskc`'),
        pskc_password: secret(optional('the password of the file')),
        pskc_preshared: secret(optional('the pre-shared key of the file, hexadecimal')),
        realm: optional('the realm of the tokens'),
        targetrealm: optional('the same, where `realm` is left out'),
      },
    },
    async ({ caller, parameters }) => {
      const { file, type = 'pskc', pskc_password, pskc_preshared, realm, targetrealm } = parameters;
      if (type.trim().toLowerCase() !== 'pskc') {
        throw new ServiceError('parameter.invalid', 'Only files of the type pskc can be loaded');
      }
      const serials = await operations.load(caller, {
        file,
        password: pskc_password,
        preSharedKey: pskc_preshared,
        realm: realm ?? targetrealm,
      });
      return { imported: serials.length };
    },
  );
}
