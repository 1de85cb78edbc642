import { z } from 'zod';
import type { Validated, ValidationService } from '../../validation/validation-service.ts';
import { inEveryDialect } from '../answers.ts';
import {
  ATTRIBUTED,
  TRANSACTION_STATUS,
  VALIDATED,
  VALIDATED_TRANSACTION,
} from '../dialects/ocra-answers.ts';
import { type Call, type Endpoint, type Method, openEndpoint } from '../endpoint-spec.ts';
import { type Reply, textReply } from '../reply.ts';
import { optional, required, secret } from '../request/parameters.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];

export function validateEndpoints(validation: ValidationService): Endpoint[] {
  return [
    userEndpoint(validation),
    serialEndpoint(validation),
    transactionEndpoint(validation),
    simpleEndpoint(validation),
    samlEndpoint(validation),
    statusEndpoint(validation),
  ];
}

// Any client with a response may settle a transaction, from any site, as at /ocra/check_t.
const OPEN = { methods: METHODS, changesState: true, fromAnySite: true } as const;
/** Likewise, where the transaction may be left out: then it is any open one. */
const CHECKING = { ...OPEN, requires: 'nothing', transactionNamedBy: ['transactionid', 'state'] } as const;
const PASS = secret(required('the response, after the PIN that the policy `otppin` asks for', '492017'));
/** The parameters that name the transaction, or the text of a new one. */
const TRANSACTION = {
  transactionid: optional('the transaction; default: every open one'),
  state: optional('the transaction, where `transactionid` is left out'),
  data: optional('the text that the app displays, where `pass` is the PIN alone', 'Pay 50 EUR'),
  challenge: optional('the text, where `data` is left out; no question to check a response against'),
} as const;

/** The parameters of a request, as the service knows them. */
function requestOf<Whose extends object>({
  transactionid,
  state,
  data,
  challenge,
  ...whose
}: Whose & {
  readonly transactionid?: string | undefined;
  readonly state?: string | undefined;
  readonly data?: string | undefined;
  readonly challenge?: string | undefined;
}) {
  return { ...whose, transactionId: transactionid ?? state, data: data ?? challenge };
}

/**
 * Of a question that its sender has chosen, anybody may have seen the response. Tells of the request alone.
 * @returns the detail that refuses it; undefined: there is none, or another outcome
 */
function refusalOf(
  { challenge = '' }: { readonly challenge?: string | undefined },
  validated: Validated,
): { readonly message: string } | undefined {
  return challenge !== '' && (validated === false || validated === 'not valid')
    ? {
        message:
          "The parameter 'challenge' is no question to check the response against: only issued challenges are",
      }
    : undefined;
}

const USER = {
  user: required('the login of the user', 'alice'),
  pass: PASS,
  realm: optional('the realm of the user', 'customers'),
  ...TRANSACTION,
} as const;

const TOKEN = { serial: required('the serial of the token', 'QR1'), pass: PASS, ...TRANSACTION } as const;

async function check(
  validation: ValidationService,
  {
    parameters,
    client,
    requestId,
    context,
    dialect,
  }: Call<z.output<z.ZodObject<typeof USER> | z.ZodObject<typeof TOKEN>>>,
): Promise<Reply> {
  const validated = await validation.check({ client, requestId }, requestOf(parameters));
  const refusal = refusalOf(parameters, validated);
  return { ...dialect.validate.validated(validated, context, refusal), ...factsOf(validated) };
}

function userEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...CHECKING,
      path: '/validate/check',
      summary: 'verifies the response of a user',
      answers: VALIDATED,
      usage: 'validate/check: validate the response of a user.',
      parameters: z.object(USER),
    },
    (call) => check(validation, call),
  );
}

function serialEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...CHECKING,
      path: '/validate/check_s',
      summary: 'verifies the response of a token',
      answers: VALIDATED,
      usage: 'validate/check_s: validate the response of a token (serial).',
      parameters: z.object(TOKEN),
    },
    (call) => check(validation, call),
  );
}

function transactionEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check_t',
      summary: 'verifies the response to a challenge',
      requires: 'transaction',
      answers: VALIDATED_TRANSACTION,
      usage: 'validate/check_t: validate the response to a transaction.',
      parameters: z.object({
        pass: PASS,
        transactionid: required('the transaction', '5f1c0e9a7b3d42860c1e'),
      }),
      transactionNamedBy: ['transactionid'],
    },
    async ({ parameters: { pass, transactionid }, client, requestId, context, dialect }) => {
      const request = { transactionId: transactionid, pass };
      const validated = await validation.checkTransaction({ client, requestId }, request);
      return { ...dialect.validate.validatedTransaction(validated, context), accepted: validated.result };
    },
  );
}

/** @returns what limits and the log read of the answer */
function factsOf(validated: Validated): Pick<Reply, 'accepted' | 'transaction'> {
  return {
    accepted: validated === true,
    transaction: typeof validated === 'object' ? validated.transactionId : undefined,
  };
}

/** The texts of /validate/simplecheck. */
const ACCEPTED = ':-)';
const REFUSED = ':-(';
const FAILED = ':-/';

function simpleEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...CHECKING,
      path: '/validate/simplecheck',
      summary: 'verifies the response of a user, and answers with one line of text',
      answers: inEveryDialect({
        others: [
          {
            contentType: 'text/plain',
            meaning: `\`${ACCEPTED}\` the response was accepted, \`${REFUSED}\` it was refused, \`${REFUSED} TRANSACTION MESSAGE\` a challenge was issued, \`${FAILED}\` the request failed`,
          },
        ],
      }),
      failureText: FAILED,
      parameters: z.object(USER),
    },
    async ({ parameters, client, requestId }) => {
      const act = { client, requestId, action: 'validate/simplecheck' };
      const validated = await validation.check(act, requestOf(parameters));
      return { ...textReply(simpleText(validated)), ...factsOf(validated) };
    },
  );
}

function simpleText(validated: Validated): string {
  if (typeof validated === 'object') {
    return `${REFUSED} ${validated.transactionId} ${validated.prompt}`;
  }
  return validated === true ? ACCEPTED : REFUSED;
}

function samlEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...CHECKING,
      path: '/validate/samlcheck',
      summary: 'verifies the response of a user, and tells the attributes of the user',
      answers: ATTRIBUTED,
      usage: 'validate/samlcheck: validate the response of a user.',
      parameters: z.object(USER),
    },
    async ({ parameters, client, requestId, context, dialect }) => {
      const act = { client, requestId, action: 'validate/samlcheck' };
      const { validated, attributes } = await validation.checkWithAttributes(act, requestOf(parameters));
      const isAccepted = validated === true;
      const value = { auth: isAccepted, attributes: attributes ?? {} };
      const refusal = refusalOf(parameters, validated);
      return { ...dialect.validate.validated(validated, context, refusal, value), ...factsOf(validated) };
    },
  );
}

function statusEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...CHECKING,
      path: '/validate/check_status',
      summary: 'state of a transaction, for its user',
      answers: TRANSACTION_STATUS,
      usage: 'validate/check_status: state of a transaction of a user.',
      parameters: z.object({
        user: USER.user,
        pass: secret(required('the PIN or password that precedes a response', '4711')),
        realm: USER.realm,
        transactionid: optional('the transaction', '5f1c0e9a7b3d42860c1e'),
        state: TRANSACTION.state,
      }),
    },
    async ({ parameters, client, requestId, context, dialect }) => {
      const entries = await validation.status({ client, requestId }, requestOf(parameters));
      return { ...dialect.ocra.transactionStatus(entries, context), accepted: entries.length > 0 };
    },
  );
}
