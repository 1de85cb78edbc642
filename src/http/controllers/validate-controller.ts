import { z } from 'zod';
import type { ValidationService } from '../../challenges/validation-service.ts';
import type { ValidateDialect } from '../dialects/dialect.ts';
import { type Endpoint, type Method, openEndpoint } from '../endpoint-spec.ts';

/** What /validate needs of the domain. */
export type ValidationOperations = Pick<ValidationService, 'check' | 'checkTransaction'>;

const METHODS: readonly Method[] = ['GET', 'POST'];
const text = z.string();
const optional = text.optional();

/** @returns the endpoints of /validate: responses of those who know the user, the serial or the transaction */
export function validateEndpoints(validation: ValidationOperations, dialect: ValidateDialect): Endpoint[] {
  return [
    userEndpoint(validation, dialect),
    serialEndpoint(validation, dialect),
    transactionEndpoint(validation, dialect),
  ];
}

// They settle transactions, but whoever can give a response may do so from anywhere: they are open as /ocra/check_t is.
const OPEN = { methods: METHODS, family: 'linotp2', changesState: false } as const;

function userEndpoint(validation: ValidationOperations, dialect: ValidateDialect): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check',
      usage: 'validate/check: validate the response of a user.',
      parameters: z.object({
        user: text,
        pass: text,
        realm: optional,
        transactionid: optional,
        state: optional,
      }),
      transactionNamedBy: ['transactionid', 'state'],
    },
    async ({ parameters: { user, pass, realm, transactionid, state }, client, requestId, context }) => {
      const request = { user, realm, pass, transactionId: transactionid ?? state };
      const accepted = await validation.check({ client, requestId }, request);
      return { ...dialect.validated(accepted, context), accepted };
    },
  );
}

function serialEndpoint(validation: ValidationOperations, dialect: ValidateDialect): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check_s',
      usage: 'validate/check_s: validate the response of a token (serial).',
      parameters: z.object({ serial: text, pass: text, transactionid: optional, state: optional }),
      transactionNamedBy: ['transactionid', 'state'],
    },
    async ({ parameters: { serial, pass, transactionid, state }, client, requestId, context }) => {
      const request = { serial, pass, transactionId: transactionid ?? state };
      const accepted = await validation.check({ client, requestId }, request);
      return { ...dialect.validated(accepted, context), accepted };
    },
  );
}

function transactionEndpoint(validation: ValidationOperations, dialect: ValidateDialect): Endpoint {
  return openEndpoint(
    {
      ...OPEN,
      path: '/validate/check_t',
      usage: 'validate/check_t: validate the response to a transaction.',
      parameters: z.object({ pass: text, transactionid: text }),
      transactionNamedBy: ['transactionid'],
    },
    async ({ parameters: { pass, transactionid }, client, requestId, context }) => {
      const request = { transactionId: transactionid, pass };
      const validated = await validation.checkTransaction({ client, requestId }, request);
      return { ...dialect.validatedTransaction(validated, context), accepted: validated.result };
    },
  );
}
