import { z } from 'zod';
import type { CalculationService } from '../../challenges/calculation-service.ts';
import type { ChallengeService, CheckedTransaction } from '../../challenges/challenge-service.ts';
import type { StatusWaitService } from '../../challenges/status-wait-service.ts';
import type { Services } from '../../services.ts';
import { CHECKED_TRANSACTION, ISSUED_CHALLENGE, TRANSACTION_STATUS } from '../dialects/ocra-answers.ts';
import {
  administratorEndpoint,
  type Endpoint,
  type Method,
  openEndpoint,
  valueReading,
} from '../endpoint-spec.ts';
import { QR_PARAMETERS, readQrOptions } from '../qr-picture.ts';
import {
  blankAsUndefined,
  invalidParameter,
  missingParameter,
  optional,
  required,
  secret,
} from '../request/parameters.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];
const DISPLAY_DATA = ['the text that the app displays', 'Pay 50 EUR'] as const;
/** The parameters that name a token. */
const TOKEN = {
  serial: optional('the serial of a token', 'QR1'),
  user: optional('the login of the owner', 'alice'),
  realm: optional('the realm of the owner', 'customers'),
} as const;

export function ocraEndpoints({
  ocra,
  statusWaits: waits,
  calculations,
}: Pick<Services, 'ocra' | 'statusWaits' | 'calculations'>): Endpoint[] {
  return [
    requestEndpoint(ocra),
    checkEndpoint(ocra),
    statusEndpoint('/ocra/checkstatus', ocra, waits),
    statusEndpoint('/ocra', ocra, waits),
    statusEndpoint('/admin/checkstatus', ocra, waits),
    activationCodeEndpoint(calculations),
    calculationEndpoint(calculations),
  ];
}

function requestEndpoint(ocra: ChallengeService): Endpoint {
  const parameters = z.object({ ...TOKEN, data: optional(...DISPLAY_DATA), ...QR_PARAMETERS });
  return administratorEndpoint(
    {
      path: '/ocra/request',
      methods: METHODS,
      summary: 'issues a challenge to a token, found by `serial` or `user`',
      requires: 'ocra:request',
      answers: ISSUED_CHALLENGE,
      usage: 'ocra/request: request a challenge for a given user or token (serial).',
      changesState: true,
      parameters,
      inDialect: { documented: { parameters: parameters.extend({ data: required(...DISPLAY_DATA) }) } },
    },
    async ({ caller, parameters: { qr, width, ...request }, context, dialect }) => {
      const picture = readQrOptions({ qr, width });
      const issued = await ocra.requestChallenge(caller, request);
      const reply = dialect.ocra.issuedChallenge(issued, context, picture);
      return { ...reply, transaction: issued.transactionId };
    },
  );
}

function checkEndpoint(ocra: ChallengeService): Endpoint {
  return openEndpoint(
    {
      path: '/ocra/check_t',
      methods: METHODS,
      summary: 'verifies the response to a challenge',
      requires: 'transaction',
      answers: CHECKED_TRANSACTION,
      usage: 'ocra/check_t: validate a token request.',
      // Any client with the transaction id may settle it.
      changesState: true,
      fromAnySite: true,
      parameters: z.object({
        pass: secret(
          optional(
            'the response, after the PIN that the policy `otppin` asks for; required without `decline`',
            '492017',
          ),
        ),
        transactionid: optional('the transaction; required', '5f1c0e9a7b3d42860c1e'),
        decline: secret(
          optional('in place of `pass`: the device’s signed word that the user declines, hexadecimal'),
        ),
      }),
      transactionNamedBy: ['transactionid'],
      calledByApps: true,
    },
    async ({ parameters, client, requestId, context, dialect }) => {
      const checked = await checkOrDecline(ocra, parameters, { client, requestId });
      // A decline that changes nothing is counted, or its repeats would fill the audit without a limit.
      const accepted = checked.result || checked.isNews === true;
      return { ...dialect.ocra.checkedTransaction(checked, context), accepted };
    },
  );
}

function checkOrDecline(
  ocra: ChallengeService,
  { pass: given, decline, transactionid: transactionId }: Readonly<Record<string, string | undefined>>,
  open: { readonly client: string; readonly requestId: string },
): Promise<CheckedTransaction> {
  const isDecline = blankAsUndefined(decline) !== undefined;
  const pass = isDecline ? blankAsUndefined(given) : given;
  if (isDecline && pass !== undefined) {
    throw invalidParameter('decline', "The parameters 'pass' and 'decline' exclude each other");
  }
  const missing = pass === undefined && decline === undefined ? 'pass' : 'transactionid';
  if (missing === 'pass' || transactionId === undefined) {
    throw missingParameter(missing);
  }
  return pass === undefined
    ? ocra.declineTransaction(open, { transactionId, decline: decline ?? '' })
    : ocra.checkTransaction(open, { transactionId, pass });
}

/** The header that tells how a wait ended. */
const WAIT_END = 'Tankeeper-Wait';

const STATUS_PARAMETERS = {
  transactionid: optional(
    'the transaction; default: all of the token but those of sign-ins, and to PINs',
    '5f1c0e9a7b3d42860c1e',
  ),
  ...TOKEN,
} as const;

function statusEndpoint(
  path: '/ocra/checkstatus' | '/ocra' | '/admin/checkstatus',
  ocra: ChallengeService,
  waits: StatusWaitService,
): Endpoint {
  return administratorEndpoint(
    {
      path,
      methods: METHODS,
      summary: path === '/ocra/checkstatus' ? 'state of challenges' : 'same as `/ocra/checkstatus`',
      requires: 'ocra:status',
      answers: TRANSACTION_STATUS,
      answerHeaders: {
        [WAIT_END]:
          'with `wait`: `changed`, `over` (the time), `closed` (the transaction takes no more responses), `full` (too many requests wait: ask again later) or `stopping` (the server)',
      },
      usage: 'ocra/checkstatus: check the token status - for asynchronous verification. Missing parameter:',
      changesState: false,
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
      inDialect: { linotp: { parameters: z.object(STATUS_PARAMETERS), answerHeaders: {} } },
    },
    async ({ caller, parameters: { transactionid, wait, known, ...reference }, context, dialect }) => {
      const requested = { transactionId: transactionid, ...reference };
      if (wait === undefined) {
        return dialect.ocra.transactionStatus(await ocra.status(caller, requested), context);
      }
      const awaitEnd = await waits.begin(caller, { ...requested, wait, known });
      return {
        status: 200,
        later: async (gone) => {
          const { entries, end } = await awaitEnd(gone);
          const reply = dialect.ocra.transactionStatus(entries, context);
          return { ...reply, headers: { ...reply.headers, [WAIT_END]: end } };
        },
      };
    },
  );
}

function activationCodeEndpoint(calculations: CalculationService): Endpoint {
  return valueReading(
    {
      path: '/ocra/getActivationCode',
      summary: 'a valid activation code',
      requires: 'ocra:activationcode',
      value: z.strictObject({
        activationcode: z.string().describe('base32, then the checksum: two hexadecimal digits'),
      }),
      parameters: {
        activationcode: optional('the text to encode; default: random bytes', '1234567890'),
      },
    },
    ({ parameters: { activationcode }, dialect }) =>
      Promise.resolve({
        activationcode: calculations.activationCode(dialect.ocra.activationCodeSource(activationcode)),
      }),
  );
}

function calculationEndpoint(calculations: CalculationService): Endpoint {
  return valueReading(
    {
      path: '/ocra/calculateOtp',
      summary: 'the response of an app, to test apps and portals',
      requires: 'ocra:calcOTP',
      value: z.strictObject({ otp: z.string().describe('the response: decimal digits') }),
      usage: 'ocra/calculateOtp: calculate the response that an app would give.',
      parameters: {
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
      },
    },
    async ({ parameters }) => ({ otp: await calculations.calculateOtp(parameters) }),
  );
}
