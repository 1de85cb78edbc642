import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from '../../answers.ts';
import { CONSEQUENCE_LIST } from './consequence-list.ts';

/*
 * Answers for editors of policies and settings, the same in every dialect.
 */

const names = z.array(z.string());
const time = z.iso.datetime();
const forms = z.array(z.strictObject({ form: z.string(), meaning: z.string() }));

/** The answers of /system/policyNames. */
export const POLICY_NAMES: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      scopes: z.array(
        z.strictObject({
          name: z.string(),
          meaning: z.string(),
          actions: z.array(
            z.strictObject({
              name: z.string(),
              meaning: z.string(),
              value: z.string().nullable().describe('the allowed values; null: it takes none'),
            }),
          ),
          wildcard: z.boolean().describe('`*` means all actions'),
          requires_realm: z.boolean(),
          requires_user: z.boolean(),
          open: z.boolean().describe('without an active policy, every administrator has its rights'),
        }),
      ),
      realms: names,
      resolvers: names,
      administrators: names,
      groups: names.describe('groups of single sign-on that policies name'),
      forms: z.strictObject({ realm: forms, user: forms, client: forms, time: forms }),
    }),
  ),
);

const verdict = z.strictObject({
  name: z.string(),
  applies: z.boolean(),
  obstacles: z
    .array(
      z.strictObject({
        kind: z.enum(['inactive', 'unreadable', 'user', 'precedence', 'realm', 'client', 'time']),
        text: z.string(),
      }),
    )
    .describe('why it does not apply'),
});

/** The answers of /system/explainPolicy. */
export const POLICY_EXPLANATION: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      administrator: z.string().nullable(),
      groups: names.nullable(),
      known: z.boolean().nullable().describe('false: there is no administrator of that name'),
      user: z.string().nullable(),
      realm: z.string().nullable(),
      client: z.string(),
      time,
      rights: z.array(
        z.strictObject({
          scope: z.string(),
          action: z.string(),
          allowed: z.boolean(),
          reason: z
            .enum(['policies', 'open', 'realm', 'none'])
            .describe(
              '`open`: no policy of the scope is active; `realm`: allowed, but not in this realm; `none`: no policy gives it',
            ),
          realms: z
            .union([z.literal('*'), names])
            .describe('the realms in which it holds; `*` includes tokens in no realm'),
          policies: z.array(verdict).describe('the policies that name the action'),
        }),
      ),
      values: z.array(
        z.strictObject({
          action: z.string(),
          values: names.describe('several: policies disagree'),
          policies: z.array(verdict.extend({ value: z.string() })),
        }),
      ),
      refusal: z
        .strictObject({
          request: z.string(),
          time,
          endpoint: z.string(),
          right: z.string().nullable().describe('`scope:action`; null: the audit does not name it'),
          api_token: z.boolean().describe('the API token lacked the right, whatever the policies say'),
        })
        .nullable(),
      changes: z
        .array(
          z.strictObject({
            policy: z.string(),
            kind: z.enum(['set', 'removed']),
            administrator: z.string(),
            time,
          }),
        )
        .nullable()
        .describe('changes of policies since the refusal; null: the caller may not see them'),
    }),
  ),
);

/** The answers of /system/policyConsequences. */
export const POLICY_CONSEQUENCES: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      problems: z
        .array(z.strictObject({ field: z.string(), text: z.string() }))
        .describe('why the policy is invalid; the rest is then empty'),
      unknown_names: z
        .array(z.strictObject({ field: z.string(), name: z.string(), nearest: z.string().nullable() }))
        .describe('realms and resolvers that do not exist'),
      consequences: CONSEQUENCE_LIST,
      lost: z
        .array(z.strictObject({ administrators: names, rights: names }))
        .describe('the administrators who lose rights'),
      lock_out: z.boolean().describe('nobody can change policies afterwards, or not the caller'),
    }),
  ),
);

/** The answers of /system/settings. */
export const SETTINGS: Answers = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        key: z.string(),
        value: z.string().nullable().describe('the value in force; null: there is none, or it is withheld'),
        default: z.string().nullable(),
        set: z.boolean(),
        known: z.boolean().describe('the server reads it'),
        withheld: z.boolean().describe('it may be a secret'),
        meaning: z.string().nullable(),
        form: z.enum(['number', 'duration', 'suite', 'truth', 'text']).nullable(),
        unit: z.string().nullable(),
        least: z.int().nullable(),
        most: z.int().nullable(),
      }),
    ),
  ),
);

/** The answers of /system/settingConsequences. */
export const SETTING_CONSEQUENCES: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      unread: z.string().nullable().describe('the server does not read the key: a clause that says so'),
      consequences: CONSEQUENCE_LIST,
    }),
  ),
);
