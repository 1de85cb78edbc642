import { z } from 'zod';
import type { ValidationService } from '../../challenges/validation-service.ts';
import { type Answers, count, inEveryDialect, valueOf } from '../answers.ts';
import { type Endpoint, type Method, openEndpoint } from '../endpoint-spec.ts';
import { textReply } from '../reply.ts';
import { optional, required, secret } from '../request/parameters.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];

const accepted = z.boolean().describe('true: the response was accepted, once and for all');
const validated = z.strictObject({
  failcount: count.describe('the number of wrong responses since the last right one'),
  value: accepted,
});

/** The answers of /validate/check and /validate/check_s. */
const VALIDATED: Answers = inEveryDialect(valueOf(accepted));

/** The answers of /validate/check_t. */
const VALIDATED_TRANSACTION: Answers = {
  documented: valueOf(validated),
  linotp: valueOf(
    z.union([
      validated,
      z.strictObject({
        failure: z.string().describe('no open transaction of that id'),
        value: z.literal(false),
      }),
    ]),
    {
      detail: z
        .strictObject({
          ...validated.shape,
          token_type: z.string(),
          serial: z.string().describe('the serial of the token'),
        })
        .optional(),
    },
  ),
};

/** @returns the endpoints of /validate: verification of a response by user, serial or transaction */
export function validateEndpoints(validation: ValidationService): Endpoint[] {
  return [
    userEndpoint(validation),
    serialEndpoint(validation),
    transactionEndpoint(validation),
    simpleEndpoint(validation),
  ];
}

// Any client with a response may settle a transaction, from any site, as at /ocra/check_t.
const OPEN = { methods: METHODS, changesState: true, fromAnySite: true } as const;
const PASS = secret(required('the response, after the PIN that the policy `otppin` asks for', '492017'));
/** The parameters that name the transaction. */
const TRANSACTION = {
  transactionid: optional('the transaction; default: every open one'),
  state: optional('the transaction, where `transactionid` is left out'),
} as const;

const USER = {
  user: required('the login of the user', 'alice'),
  pass: PASS,
  realm: optional('the realm of the user', 'customers'),
  ...TRANSACTION,
} as const;

function userEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check',
      summary: 'verifies the response of a user',
      requires: 'nothing',
      answers: VALIDATED,
      usage: 'validate/check: validate the response of a user.',
      parameters: z.object(USER),
      transactionNamedBy: ['transactionid', 'state'],
    },
    async ({
      parameters: { user, pass, realm, transactionid, state },
      client,
      requestId,
      context,
      dialect,
    }) => {
      const request = { user, realm, pass, transactionId: transactionid ?? state };
      const accepted = await validation.check({ client, requestId }, request);
      return { ...dialect.validate.validated(accepted, context), accepted };
    },
  );
}

function serialEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check_s',
      summary: 'verifies the response of a token',
      requires: 'nothing',
      answers: VALIDATED,
      usage: 'validate/check_s: validate the response of a token (serial).',
      parameters: z.object({
        serial: required('the serial of the token', 'QR1'),
        pass: PASS,
        ...TRANSACTION,
      }),
      transactionNamedBy: ['transactionid', 'state'],
    },
    async ({ parameters: { serial, pass, transactionid, state }, client, requestId, context, dialect }) => {
      const request = { serial, pass, transactionId: transactionid ?? state };
      const accepted = await validation.check({ client, requestId }, request);
      return { ...dialect.validate.validated(accepted, context), accepted };
    },
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

/** The texts of /validate/simplecheck. */
const ACCEPTED = ':-)';
const REFUSED = ':-(';
const FAILED = ':-/';

function simpleEndpoint(validation: ValidationService): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/simplecheck',
      summary: 'verifies the response of a user, and answers with one line of text',
      requires: 'nothing',
      answers: inEveryDialect({
        others: [
          {
            contentType: 'text/plain',
            meaning: `\`${ACCEPTED}\` the response was accepted, \`${REFUSED}\` it was refused, \`${FAILED}\` the request failed`,
          },
        ],
      }),
      failureText: FAILED,
      parameters: z.object(USER),
      transactionNamedBy: ['transactionid', 'state'],
    },
    async ({ parameters: { user, pass, realm, transactionid, state }, client, requestId }) => {
      const request = { user, realm, pass, transactionId: transactionid ?? state };
      const accepted = await validation.check({ client, requestId, action: 'validate/simplecheck' }, request);
      return { ...textReply(accepted ? ACCEPTED : REFUSED), accepted };
    },
  );
}
