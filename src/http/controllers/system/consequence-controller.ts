import { z } from 'zod';
import type { SettingService } from '../../../configuration/setting-service.ts';
import type { ConsequenceService } from '../../../consequences/consequence-service.ts';
import type { PolicyPreview } from '../../../consequences/policy-preview.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional, required } from '../../request/parameter-schemas.ts';
import { POLICY_CONSEQUENCES, SETTING_CONSEQUENCES } from '../answers/policy-answers.ts';
import { readActive } from './policy-controller.ts';

/** @returns the endpoints of /system that tell what follows from a change, and change nothing */
export function consequenceEndpoints(
  consequences: ConsequenceService,
  settings: SettingService,
  dialect: AdministrationDialect,
): Endpoint[] {
  return [policyEndpoint(consequences, dialect), settingEndpoint(consequences, settings, dialect)];
}

function policyEndpoint(consequences: ConsequenceService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/policyConsequences',
      methods: ['POST'],
      summary: 'what follows from setting or removing a policy, and whether it is valid; changes nothing',
      answers: POLICY_CONSEQUENCES,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/policyConsequences: tell what follows from a change of a policy.',
      changesState: false,
      parameters: z.object({
        name: optional('the name of the policy', 'helpdesk'),
        scope: optional('as for /system/setPolicy, and so the next ones', 'admin'),
        action: optional('the actions', 'show, enable, disable'),
        realm: optional('the realms', 'office'),
        user: optional('the users or administrators', 'anna'),
        client: optional('the addresses of clients'),
        time: optional('the times at which it holds'),
        active: optional('`True` or `False`', 'True'),
        remove: optional('`1`: what follows from removing the policy of this name'),
      }),
    },
    async ({ caller, parameters: { remove, active, ...draft }, context }) => {
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
      return dialect.value(previewObject(preview), context);
    },
  );
}

function settingEndpoint(
  consequences: ConsequenceService,
  settings: SettingService,
  dialect: AdministrationDialect,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/settingConsequences',
      methods: ['POST'],
      summary: 'what follows from setting a value, or from restoring its default; changes nothing',
      answers: SETTING_CONSEQUENCES,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/settingConsequences: tell what follows from a change of a configuration value.',
      changesState: false,
      parameters: z.object({
        key: required('the key of the value', 'OcraMaxChallenges'),
        value: optional('the value; left out: the default applies again', '2'),
      }),
    },
    async ({ caller, parameters: { key, value }, context }) => {
      if (value !== undefined) {
        await settings.check(caller, new Map([[key, value]]));
      }
      return dialect.value(
        {
          unread: (await settings.unreadReason(caller, key)) ?? null,
          consequences: await consequences.ofSetting(caller, key, value),
        },
        context,
      );
    },
  );
}

function previewObject(preview: PolicyPreview): object {
  return {
    problems: preview.problems.map(({ field, message }) => ({ field, text: message })),
    unknown_names: preview.unknownNames.map(({ part, name, nearest }) => ({
      field: part,
      name,
      nearest: nearest ?? null,
    })),
    consequences: preview.consequences,
    lost: preview.lost.map(({ administrators, rights }) => ({ administrators, rights })),
    lock_out: preview.locksOut,
  };
}
