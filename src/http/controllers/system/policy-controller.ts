import { z } from 'zod';
import { readActive } from '../../../policy/policy.ts';
import { writePolicyFile } from '../../../policy/policy-file.ts';
import type { PolicyService } from '../../../policy/policy-service.ts';
import { count, inEveryDialect, valueOf, valuesOf } from '../../answers.ts';
import { POLICIES, REMOVED_POLICY, STORED_POLICY } from '../../dialects/administration-answers.ts';
import { type Endpoint, systemChange, systemReading } from '../../endpoint-spec.ts';
import { textReply } from '../../reply.ts';
import { optional, required, secret } from '../../request/parameters.ts';

export function policyEndpoints(policies: PolicyService): Endpoint[] {
  return [
    setEndpoint(policies),
    listEndpoint(policies),
    removeEndpoint(policies),
    exportEndpoint(policies),
    importEndpoint(policies),
  ];
}

const NOTES = z
  .strictObject({
    message: z
      .string()
      .describe(
        'remarks on policies: without effect, inactive, or with unknown names; or that nobody may change policies from now on',
      ),
  })
  .optional()
  .describe('present where there are such');

function detailOf(notes: readonly string[]): { readonly message: string } | undefined {
  return notes.length === 0 ? undefined : { message: notes.join('. ') };
}

function setEndpoint(policies: PolicyService): Endpoint {
  return systemChange(
    {
      path: '/system/setPolicy',
      summary: 'creates or replaces a policy',
      answers: valuesOf(STORED_POLICY, NOTES),
      usage: 'system/setPolicy: create a policy or replace it.',
      parameters: {
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
      },
    },
    async ({ caller, parameters: { active, ...draft }, context, dialect }) => {
      const { policy, notes } = await policies.keep(caller, { ...draft, active: readActive(active) });
      return dialect.administration.storedPolicy(policy, context, detailOf(notes));
    },
  );
}

const FILTER = {
  name: optional('lists the policy of this name'),
  scope: optional('lists policies of this scope'),
  action: optional('lists policies with this action'),
  realm: optional('lists policies for this realm'),
  user: optional('lists policies for this user'),
} as const;

function listEndpoint(policies: PolicyService): Endpoint {
  return systemReading(
    {
      path: '/system/getPolicy',
      summary: 'lists policies',
      answers: valuesOf(POLICIES),
      parameters: FILTER,
    },
    async ({ parameters, context, dialect }) =>
      dialect.administration.policies(await policies.list(parameters), context),
  );
}

function removeEndpoint(policies: PolicyService): Endpoint {
  return systemChange(
    {
      path: '/system/delPolicy',
      summary: 'removes a policy',
      answers: valuesOf(REMOVED_POLICY),
      usage: 'system/delPolicy: remove a policy.',
      parameters: {
        name: required('the name of the policy', 'helpdesk'),
      },
    },
    async ({ caller, parameters: { name }, context, dialect }) => {
      await policies.remove(caller, name);
      return dialect.administration.removedPolicy(name.trim(), context);
    },
  );
}

function exportEndpoint(policies: PolicyService): Endpoint {
  return systemReading(
    {
      path: '/system/getPolicy/policy.cfg',
      summary: 'the same policies as a file for /system/importPolicy; the file may have any name',
      answers: inEveryDialect({
        others: [
          {
            contentType: 'text/plain',
            meaning: 'a section `[name]` for each policy, with a line `field = value` for each field',
            headers: { 'Content-Disposition': '`attachment`: to be saved under the name in the path' },
          },
        ],
      }),
      parameters: FILTER,
    },
    async ({ parameters }) => ({
      ...textReply(writePolicyFile(await policies.list(parameters))),
      headers: { 'Content-Disposition': 'attachment' },
    }),
  );
}

const MAX_FILE_BYTES = 256 * 1024;

function importEndpoint(policies: PolicyService): Endpoint {
  return systemChange(
    {
      path: '/system/importPolicy',
      methods: ['POST'],
      summary: 'creates or replaces the policies of a file, all or none; at most 256 KiB',
      answers: inEveryDialect(valueOf(count.describe('the number of policies'), { detail: NOTES })),
      usage: 'system/importPolicy: create or replace the policies of a file.',
      large: { name: 'file', bytes: MAX_FILE_BYTES },
      parameters: {
        file: secret(required('the file, as /system/getPolicy/policy.cfg answers it')),
      },
    },
    async ({ caller, parameters: { file }, context, dialect }) => {
      const { stored, notes } = await policies.importFile(caller, file);
      return dialect.administration.value(stored, context, detailOf(notes));
    },
  );
}
