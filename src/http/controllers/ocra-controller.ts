import { z } from 'zod';
import type { ChallengeService } from '../../challenges/challenge-service.ts';
import type { StatusWaitService } from '../../challenges/status-wait-service.ts';
import type { OcraDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method, openEndpoint } from '../endpoint-spec.ts';
import { QR_PARAMETERS, readQrOptions } from '../qr-picture.ts';
import { optional, required, secret } from '../request/parameter-schemas.ts';
import {
  ACTIVATION_CODE,
  CALCULATED_OTP,
  CHECKED_TRANSACTION,
  ISSUED_CHALLENGE,
  TRANSACTION_STATUS,
} from './answers/ocra-answers.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
const DISPLAY_DATA = 'the text that the app displays';
/** The parameters that name a token. */
const TOKEN = {
  serial: optional('the serial of a token', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
} as const;

/** @returns the endpoints of /ocra: challenges and responses by RFC 6287 */
export function ocraEndpoints(
  ocra: ChallengeService,
  waits: StatusWaitService,
  dialect: OcraDialect,
): Endpoint[] {
  return [
    requestEndpoint(ocra, dialect),
    checkEndpoint(ocra, dialect),
    ...(['/ocra/checkstatus', '/ocra'] as const).map((path) =>
      dialect.waitsForStatus
        ? waitingStatusEndpoint(path, ocra, waits, dialect)
        : statusEndpoint(path, ocra, dialect),
    ),
    activationCodeEndpoint(ocra, dialect),
    calculationEndpoint(ocra, dialect),
  ];
}

function requestEndpoint(ocra: ChallengeService, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/request',
      methods: METHODS,
      summary: 'issues a challenge to a token, found by `serial` or `user`',
      requires: 'ocra:request',
      answers: ISSUED_CHALLENGE,
      family: 'linotp2',
      usage: 'ocra/request: request a challenge for a given user or token (serial).',
      changesState: true,
      parameters: z.object({
        ...TOKEN,
        data: dialect.requiresDisplayData
          ? required(DISPLAY_DATA, 'Pay 50 EUR')
          : optional(DISPLAY_DATA, 'Pay 50 EUR'),
        ...QR_PARAMETERS,
      }),
    },
    async ({ caller, parameters: { qr, width, ...request }, context }) => {
      const picture = readQrOptions({ qr, width });
      return dialect.issuedChallenge(await ocra.requestChallenge(caller, request), context, picture);
    },
  );
}

function checkEndpoint(ocra: ChallengeService, dialect: OcraDialect): Endpoint {
  return openEndpoint(
    {
      path: '/ocra/check_t',
      methods: METHODS,
      summary: 'verifies the response to a challenge',
      requires: 'transaction',
      answers: CHECKED_TRANSACTION,
      family: 'linotp2',
      usage: 'ocra/check_t: validate a token request.',
      // Any client with the transaction id may settle it.
      changesState: true,
      fromAnySite: true,
      parameters: z.object({
        pass: secret(required('the response, after the PIN that the policy `otppin` asks for', '492017')),
        transactionid: required('the transaction', '5f1c0e9a7b3d42860c1e'),
      }),
      transactionNamedBy: ['transactionid'],
      calledByApps: true,
    },
    async ({ parameters: { transactionid, pass }, client, requestId, context }) => {
      const checked = await ocra.checkTransaction(
        { client, requestId },
        { transactionId: transactionid, pass },
      );
      return { ...dialect.checkedTransaction(checked, context), accepted: checked.result };
    },
  );
}

type StatusPath = '/ocra/checkstatus' | '/ocra';

const STATUS = {
  methods: METHODS,
  requires: 'ocra:status',
  answers: TRANSACTION_STATUS,
  family: 'linotp2',
  usage: 'ocra/checkstatus: check the token status - for asynchronous verification. Missing parameter:',
  changesState: false,
} as const;
const STATUS_PARAMETERS = {
  transactionid: optional('the transaction; default: all of the token', '5f1c0e9a7b3d42860c1e'),
  ...TOKEN,
} as const;

function statusSummary(path: StatusPath): string {
  return path === '/ocra' ? 'same as `/ocra/checkstatus`' : 'state of challenges';
}

function statusEndpoint(path: StatusPath, ocra: ChallengeService, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    { ...STATUS, path, summary: statusSummary(path), parameters: z.object(STATUS_PARAMETERS) },
    async ({ caller, parameters: { transactionid, ...reference }, context }) =>
      dialect.transactionStatus(
        await ocra.status(caller, { transactionId: transactionid, ...reference }),
        context,
      ),
  );
}

/** The header that tells how a wait ended. */
const WAIT_END = 'Tankeeper-Wait';

function waitingStatusEndpoint(
  path: StatusPath,
  ocra: ChallengeService,
  waits: StatusWaitService,
  dialect: OcraDialect,
): Endpoint {
  return administratorEndpoint(
    {
      ...STATUS,
      path,
      summary: statusSummary(path),
      answerHeaders: {
        [WAIT_END]:
          'with `wait`: `changed`, `over` (the time), `closed` (the transaction takes no more responses), `full` (too many requests wait: ask again later) or `stopping` (the server)',
      },
      parameters: z.object({
        ...STATUS_PARAMETERS,
        wait: optional(
          'answer when the state of the transaction changes, or after this time: `20S`, at most `60S`',
          '20S',
        ),
        known: optional(
          'with `wait`: the state that the client has, `received_tan,valid_tan,failcount`; any other is answered at once',
          'false,false,0',
        ),
      }),
    },
    async ({ caller, parameters: { transactionid, wait, known, ...reference }, context }) => {
      const requested = { transactionId: transactionid, ...reference };
      if (wait === undefined) {
        return dialect.transactionStatus(await ocra.status(caller, requested), context);
      }
      const awaitEnd = await waits.begin(caller, { ...requested, wait, known });
      return {
        status: 200,
        later: async (gone) => {
          const { entries, end } = await awaitEnd(gone);
          const reply = dialect.transactionStatus(entries, context);
          return { ...reply, headers: { ...reply.headers, [WAIT_END]: end } };
        },
      };
    },
  );
}

function activationCodeEndpoint(ocra: ChallengeService, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/getActivationCode',
      methods: METHODS,
      summary: 'a valid activation code',
      requires: 'ocra:activationcode',
      answers: ACTIVATION_CODE,
      family: 'linotp2',
      usage: 'ocra/getActivationCode: get an example activation code.',
      changesState: false,
      parameters: z.object({
        activationcode: optional('the text to encode; default: random bytes', '1234567890'),
      }),
    },
    async ({ caller, parameters: { activationcode }, context }) =>
      dialect.activationCode(
        await ocra.activationCode(caller, dialect.activationCodeSource(activationcode)),
        context,
      ),
  );
}

function calculationEndpoint(ocra: ChallengeService, dialect: OcraDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/ocra/calculateOtp',
      methods: METHODS,
      summary: 'the response of an app, to test apps and portals',
      requires: 'ocra:calcOTP',
      answers: CALCULATED_OTP,
      family: 'linotp2',
      usage: 'ocra/calculateOtp: calculate the response that an app would give.',
      changesState: false,
      parameters: z.object({
        sharedsecret: secret(optional('the shared secret of the roll-out, hexadecimal')),
        activationcode: secret(optional('the activation code of the roll-out')),
        nonce: secret(optional('the nonce of the roll-out, hexadecimal')),
        ocrasuite: optional('the OCRA suite', 'OCRA-1:HOTP-SHA256-6:C-QA64'),
        challenge: optional('the question', 'Pay50EUR00'),
        counter: optional('the counter; default: 0', '0'),
        ocrapin: secret(optional('the PIN of a suite with P')),
        init1: secret(optional('the URL of the first phase of the roll-out')),
        init2: secret(optional('the URL of the second phase of the roll-out')),
        no: secret(optional('takes precedence over `nonce`')),
        os: optional('takes precedence over `ocrasuite`'),
      }),
    },
    async ({ caller, parameters, context }) =>
      dialect.calculatedOtp(await ocra.calculateOtp(caller, parameters), context),
  );
}
