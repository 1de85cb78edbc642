import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Caller } from '../../src/policy/caller.ts';
import { licenceNumbers } from '../../src/http/dialects/shared/monitoring-objects.ts';
import { failureForm } from '../../src/http/failures.ts';
import { failureSentence } from '../../src/http/dialects/shared/failure-text.ts';
import { licenceSentence } from '../../src/http/dialects/shared/licence-sentence.ts';
import { isServiceError } from '../../src/kernel/errors.ts';
import type { MonitoringService } from '../../src/monitoring/monitoring-service.ts';
import type { LicenceReport, StatusCount, UserReport } from '../../src/monitoring/outcomes.ts';
import { compareWithLedger, NOTHING_FOUND, readLedger } from '../support/values/compatibility-ledger.ts';
import { monitoringOver } from '../support/application/monitoring-over.ts';
import { countingSources } from '../support/application/user-sources.ts';
import { recordedConfiguration, recordedState, recordedUsers } from '../support/values/monitoring-fixture.ts';
import { RecordedLicences } from '../support/values/recorded-licences.ts';
import { isExplicitList, readRecordings, type Recording } from '../support/values/monitoring-recordings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';

const FILE = 'monitoring-3.4.4';
const NOW = new Date('2026-11-20T10:30:00Z');
const MAX_DIFFERENCES = 40;

const licences = new RecordedLicences({ now: () => NOW });
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertState(test.database, recordedState());
});

afterAll(async () => {
  await test.drop();
});

describe('every recorded question to /monitoring', () => {
  it('gets an answer with the same facts, or its ledger says why not', async () => {
    const { recordings } = readRecordings();
    const rows = [];
    for (const recording of recordings) {
      await licences.prepare(test.database, recording.name);
      const facts = await answerTo(recording);
      rows.push({ name: recording.name, holds: isDeepStrictEqual(facts, recording.facts) });
    }
    expect(compareWithLedger(FILE, rows, readLedger('monitoring'))).toEqual(NOTHING_FOUND);
    expect(rows.filter(({ holds }) => !holds).length).toBeLessThanOrEqual(MAX_DIFFERENCES);
  });

  it('is sent, except those about HTTP alone', () => {
    const { recordings, others } = readRecordings();
    expect({ context: recordings.length, others }).toEqual({ context: 388, others: 47 });
  });
});

async function answerTo(recording: Recording): Promise<unknown> {
  const { name, parameters } = recording;
  if (parameters === undefined) {
    return 'refused before the service is asked';
  }
  const administrator = /\/(helpdesk|restricted|noread) /.exec(name)?.[1] ?? 'admin';
  const caller: Caller = {
    principal: { administrator, rights: ['*'], operator: false, client: '127.0.0.1' },
    requestId: name,
  };
  try {
    return await ask(serviceAt(name), caller, recording, parameters);
  } catch (error) {
    return { error: refusalOf(error) };
  }
}

function serviceAt(name: string): MonitoringService {
  return monitoringOver(test.database, recordedConfiguration(name), {
    signature: licences.signature,
    sources: countingSources((resolver) => recordedUsers(name, resolver)),
    clock: licences,
  });
}

async function ask(
  service: MonitoringService,
  caller: Caller,
  { name, endpoint }: Recording,
  parameters: ReadonlyMap<string, string>,
): Promise<unknown> {
  const realms = parameters.get('realms');
  const inOrder = (names: readonly string[]): object => (isExplicitList(realms) ? { order: names } : {});
  switch (endpoint) {
    case 'tokens': {
      const report = await service.tokens(caller, { realms, status: parameters.get('status') });
      return {
        Realms: Object.fromEntries(report.realms.map(({ realm, counts }) => [realm, byStatus(counts)])),
        Summary: byStatus(report.summary),
        ...inOrder(report.realms.map(({ realm }) => realm)),
      };
    }
    case 'userinfo': {
      const report = await service.userinfo(caller, { realms });
      return { Realms: byRealm(report), ...inOrder(report.realms.map(({ realm }) => realm)) };
    }
    case 'activeUsers': {
      const report = await service.activeUsers(caller, { realms });
      return {
        Realms: byRealm(report),
        total: report.total,
        ...inOrder(report.realms.map(({ realm }) => realm)),
      };
    }
    case 'config': {
      const { sync, resolvers, policies, realms: number } = await service.config(caller);
      return { sync, passwdresolver: resolvers.passwd, policies, realms: number };
    }
    case 'license':
      return licenceFacts(await service.licence(caller), name);
    case 'storageEncryption':
      return service.storageEncryption(caller);
  }
}

/** A text in another language is the dialect's affair, but of licences all are held against each other. */
function licenceFacts(report: LicenceReport, name: string): unknown {
  if (report.kind === 'none' || (report.kind === 'invalid' && report.reason === 'unreadable')) {
    return { kind: 'none' };
  }
  return report.kind === 'valid'
    ? licenceNumbers(report)
    : { valid: false, message: licenceSentence(report, name.endsWith('lang=de') ? 'de' : 'en') };
}

function byStatus(counts: readonly StatusCount[]): object {
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

function byRealm({ realms }: UserReport): object {
  return Object.fromEntries(
    realms.map(({ realm, resolvers }) => [
      realm,
      Object.fromEntries(resolvers.map(({ resolver, users }) => [resolver, users])),
    ]),
  );
}

function refusalOf(error: unknown): { code: number; message: string } {
  if (!isServiceError(error)) {
    throw error;
  }
  const { legacyCode, prefix } = failureForm(error.code);
  return { code: legacyCode, message: `${prefix}${failureSentence(error, 'en')}` };
}
