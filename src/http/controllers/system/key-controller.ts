import type { Services } from '../../../services.ts';
import type { KeyOverviewReport } from '../../../keys/key-overview.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import type { Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { KEYS } from '../answers/installation-answers.ts';
import { systemReading } from './system-endpoint.ts';

/** @returns the endpoint that shows the state of the keys. They are changed at the machine only, see `KeyOverview` */
export function keyEndpoint(
  { keyOverview }: Pick<Services, 'keyOverview'>,
  dialect: AdministrationDialect,
): Endpoint {
  return systemReading(
    {
      path: '/system/keys',
      summary: 'the encryption keys and the servers that have them',
      answers: KEYS,
      parameters: { count: optional('`1`: counts the secrets of each key, which reads all tokens', '1') },
    },
    async ({ caller, parameters: { count }, context }) =>
      dialect.value(reportObject(await keyOverview.show(caller, count === '1')), context),
  );
}

function reportObject({ keys, servers, countedAt }: KeyOverviewReport): object {
  return {
    keys: keys.map(({ keyId, isCurrent, addedAt, currentSince, retiredAt, secrets }) => ({
      keyid: keyId,
      current: isCurrent,
      added: timeOf(addedAt),
      current_since: timeOf(currentSince),
      retired: timeOf(retiredAt),
      secrets: secrets ?? null,
    })),
    servers: servers.map(({ place, keyIds, sealingKey }) => ({
      place,
      keyids: keyIds,
      seals_with: sealingKey,
    })),
    counted: timeOf(countedAt),
  };
}

function timeOf(time: Date | undefined): string | null {
  return time?.toISOString() ?? null;
}
