import { z } from 'zod';
import type { PolicyService } from '../../../policy/policy-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint, type Method } from '../../endpoint-spec.ts';
import { EXPECTED, readExpected } from '../../request/expected-state.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { POLICIES, REMOVED_POLICY, STORED_POLICY } from '../answers/system-answers.ts';

const METHODS: readonly Method[] = ['GET', 'POST'];

const EXPECTED_POLICY = z
  .object({
    name: z.string(),
    scope: z.string(),
    action: z.string(),
    realm: z.string(),
    user: z.string(),
    client: z.string(),
    time: z.string(),
    active: z.boolean(),
  })
  .nullable();

/** @returns the endpoints of /system that list and change policies */
export function policyEndpoints(policies: PolicyService, dialect: AdministrationDialect): Endpoint[] {
  return [setEndpoint(policies, dialect), listEndpoint(policies, dialect), removeEndpoint(policies, dialect)];
}

function setEndpoint(policies: PolicyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/setPolicy',
      methods: METHODS,
      summary: 'creates or replaces a policy',
      answers: STORED_POLICY,
      requires: 'system:write',
      family: 'linotp2',
      usage: 'system/setPolicy: create a policy or replace it.',
      changesState: true,
      parameters: z.object({
        name: required('the name of the policy', 'helpdesk'),
        scope: required('the scope', 'admin'),
        action: required('the actions, a comma list', 'show, enable, disable'),
        realm: optional(
          'the realms, a comma list, `*` for all; empty: all in the scopes system and ocra, refused in others',
        ),
        user: optional(
          'the users or administrators, a comma list, `*` for all; empty: all in the scope authentication, refused in others',
        ),
        client: optional('the addresses of clients, a comma list; empty: all', '10.0.0.0/8'),
        time: optional('the times at which it holds; empty: always'),
        active: optional('`True` or `False`', 'True'),
        expected: EXPECTED.describe(
          'the policy that is replaced, as JSON of the form in /system/getPolicy; `null`: there is none. Another one is kept',
        ),
      }),
    },
    async ({ caller, parameters: { active, expected, ...draft }, context }) => {
      const stored = await policies.set(
        caller,
        { ...draft, active: readActive(active) },
        readExpected(expected, EXPECTED_POLICY),
      );
      return dialect.value(dialect.shapes.storedPolicy(stored), context);
    },
  );
}

function listEndpoint(policies: PolicyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/getPolicy',
      methods: METHODS,
      summary: 'lists policies',
      answers: POLICIES,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/getPolicy: list policies.',
      changesState: false,
      parameters: z.object({
        name: optional('lists the policy of this name'),
        scope: optional('lists policies of this scope'),
        action: optional('lists policies with this action'),
        realm: optional('lists policies for this realm'),
        user: optional('lists policies for this user'),
      }),
    },
    async ({ caller, parameters, context }) =>
      dialect.value(dialect.shapes.policies(await policies.list(caller, parameters)), context),
  );
}

function removeEndpoint(policies: PolicyService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/delPolicy',
      methods: METHODS,
      summary: 'removes a policy',
      answers: REMOVED_POLICY,
      requires: 'system:write',
      family: 'linotp2',
      usage: 'system/delPolicy: remove a policy.',
      changesState: true,
      parameters: z.object({
        name: required('the name of the policy', 'helpdesk'),
        expected: EXPECTED.describe(
          'the policy that is removed, as JSON of the form in /system/getPolicy. Another one is kept',
        ),
      }),
    },
    async ({ caller, parameters: { name, expected }, context }) => {
      await policies.remove(caller, name, readExpected(expected, EXPECTED_POLICY) ?? undefined);
      return dialect.value(dialect.shapes.removedPolicy(name.trim()), context);
    },
  );
}

/**
 * @returns undefined where it is not given
 * @throws ServiceError 'policy.invalid'
 */
export function readActive(text: string | undefined): boolean | undefined {
  switch (text?.trim().toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      throw new ServiceError('policy.invalid', 'The state of a policy (active) is True or False');
  }
}
