import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { Consequence } from '../../../consequences/consequence.ts';
import type { ConsequenceService } from '../../../consequences/consequence-service.ts';
import type { PolicyPreview } from '../../../consequences/configuration-consequences.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { splitList } from '../../../kernel/text.ts';
import { count, type Shown } from '../../answers.ts';
import { type Endpoint, valueReading } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameters.ts';
import { readActive } from '../../../policy/policy.ts';

const names = z.array(z.string()).optional();

/** The consequences of an act. */
const CONSEQUENCE_LIST = z.array(
  z.strictObject({
    code: z.string().describe('for programs'),
    text: z.string().describe('a clause for people'),
    count: count.optional().describe('the number in the clause'),
    names: names.describe('the names in the clause'),
    rights: names.describe('the rights in the clause, `scope:action`'),
  }),
);

const CONSEQUENCES = {
  value: CONSEQUENCE_LIST,
  example: [{ code: 'realm.tokens', text: '3 tokens leave this realm', count: 3 }],
};

const PREVIEW = z.strictObject({
  problems: z
    .array(z.strictObject({ field: z.string(), text: z.string() }))
    .describe('why the policy is invalid; the rest is then empty'),
  unknown_names: z
    .array(z.strictObject({ field: z.string(), name: z.string() }))
    .describe('realms and resolvers that do not exist'),
  consequences: CONSEQUENCE_LIST,
  lost: z
    .array(z.strictObject({ administrators: z.array(z.string()), rights: z.array(z.string()) }))
    .describe('the administrators who lose rights'),
  lock_out: z.boolean().describe('nobody can change policies afterwards, or not the caller'),
});

export function consequenceEndpoints({
  consequences,
  settings,
}: Pick<Services, 'consequences' | 'settings'>): Endpoint[] {
  return [
    policyEndpoint(consequences),
    settingEndpoint({ consequences, settings }),
    ...realmParts(consequences),
  ];
}

function policyEndpoint(consequences: ConsequenceService): Endpoint {
  return valueReading(
    {
      path: '/system/policyConsequences',
      methods: ['POST'],
      summary: 'what follows from setting or removing a policy, and whether it is valid; changes nothing',
      value: PREVIEW,
      parameters: {
        name: optional('the name of the policy', 'helpdesk'),
        scope: optional('as for /system/setPolicy, and so the next ones', 'admin'),
        action: optional('the actions', 'show, enable, disable'),
        realm: optional('the realms', 'office'),
        user: optional('the users or administrators', 'anna'),
        client: optional('the addresses of clients'),
        time: optional('the times at which it holds'),
        active: optional('`True` or `False`', 'True'),
        remove: optional('`1`: what follows from removing the policy of this name'),
      },
    },
    async ({ caller, parameters: { remove, active, ...draft } }) => {
      const { name = '', scope = '', action = '', ...conditions } = draft;
      const preview =
        remove === '1'
          ? await consequences.previewPolicyRemoval(caller, name)
          : await consequences.previewPolicy(caller, {
              name,
              scope,
              action,
              ...conditions,
              active: readActive(active),
            });
      return shownPreview(preview);
    },
  );
}

function settingEndpoint({ consequences, settings }: Pick<Services, 'consequences' | 'settings'>): Endpoint {
  return valueReading(
    {
      path: '/system/settingConsequences',
      methods: ['POST'],
      summary: 'what follows from setting a value, or from restoring its default; changes nothing',
      value: z.strictObject({
        unread: z.string().nullable().describe('the server does not read the key: a clause that says so'),
        consequences: CONSEQUENCE_LIST,
      }),
      parameters: {
        key: required('the key of the value', 'OcraMaxChallenges'),
        value: optional('the value; left out: the default applies again', '2'),
      },
    },
    async ({ parameters: { key, value } }) => {
      if (value !== undefined) {
        settings.check(new Map([[key, value]]));
      }
      return {
        unread: settings.unreadReason(key) ?? null,
        consequences: await consequences.ofSetting(key, value),
      };
    },
  );
}

function realmParts(consequences: ConsequenceService): Endpoint[] {
  return [
    valueReading(
      {
        path: '/system/realmConsequences',
        summary: 'the consequences of removing or changing a realm, or of making it the default one',
        ...CONSEQUENCES,
        parameters: {
          act: required('`remove`, `set` or `default`', 'remove'),
          realm: optional('the name of the realm; empty with `default`: no default realm', 'customers'),
          resolvers: optional('with `set`: the new resolvers, a comma list', 'directory'),
        },
      },
      ({ parameters }) => ofRealm(consequences, parameters),
    ),
    valueReading(
      {
        path: '/system/resolverConsequences',
        summary: 'the consequences of removing a resolver',
        ...CONSEQUENCES,
        parameters: { resolver: required('the name of the resolver', 'directory') },
      },
      ({ parameters: { resolver } }) => consequences.ofResolverRemoval(resolver),
    ),
    valueReading(
      {
        path: '/system/userConsequences',
        summary: 'the consequences of removing a user of a managed resolver, or of removing the password',
        ...CONSEQUENCES,
        parameters: {
          resolver: required('a managed resolver', 'staff'),
          username: required('the login', 'anna'),
          password_only: optional('`1`: of removing the password alone', '1'),
        },
      },
      ({ parameters: { resolver, username, password_only: only } }) => {
        const name = { resolver, login: username };
        return only === '1' ? consequences.ofPasswordRemoval(name) : consequences.ofUserRemoval(name);
      },
    ),
  ];
}

interface RealmAct {
  readonly act: string;
  readonly realm?: string | undefined;
  readonly resolvers?: string | undefined;
}

async function ofRealm(
  consequences: ConsequenceService,
  { act, realm = '', resolvers = '' }: RealmAct,
): Promise<readonly Consequence[]> {
  switch (act) {
    case 'remove':
      return consequences.ofRealmRemoval(realm);
    case 'set':
      return consequences.ofRealmChange({ name: realm, resolvers: splitList(resolvers) });
    case 'default':
      return consequences.ofDefaultRealm(realm.trim() === '' ? null : realm);
    default:
      throw new ServiceError('parameter.invalid', "The act is 'remove', 'set' or 'default'", {
        parameter: 'act',
      });
  }
}

function shownPreview(preview: PolicyPreview): Shown<typeof PREVIEW> {
  return {
    problems: preview.problems.map(({ field, message }) => ({ field, text: message })),
    unknown_names: preview.unknownNames.map(({ part, name }) => ({ field: part, name })),
    consequences: preview.consequences,
    lost: preview.lost.map(({ administrators, rights }) => ({ administrators, rights })),
    lock_out: preview.locksOut,
  };
}
