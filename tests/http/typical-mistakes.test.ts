import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressUnavailable } from '../../src/http/serving/server.ts';
import { BoundedAdministrators } from '../support/application/bounded-administrators.ts';
import { TestApplication } from '../support/application/test-application.ts';

let application: TestApplication;
let bounded: BoundedAdministrators;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('north', ['ann']);
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('clerk', 'show', 'north');
});
afterAll(async () => {
  await application.close();
});

function messageOf(body: unknown): string {
  return (body as { result: { error: { message: string } } }).result.error.message;
}

describe('a typical mistake over HTTP', () => {
  it.each([
    ['a serial that there is not', '/admin/enable', { serial: 'T9' }, ["serial 'T9'"]],
    ['a serial with a space', '/ocra/request', { serial: 'T 9', data: 'x' }, ["serial 'T 9'"]],
    ['an unknown transaction', '/admin/transaction', { transactionid: '1' }, ["transaction '1'"]],
    ['a date that there is not', '/audit/search', { since: '2026-02-30' }, ['since', '2027-01-31', '1H, 2D']],
    ['an unknown outcome', '/audit/search', { outcome: 'wrongg' }, ["'wrongg'"]],
    ['an unknown status', '/monitoring/tokens', { status: 'actve' }, ["'actve'"]],
    ['an unknown realm', '/monitoring/tokens', { realms: 'nort' }, ["'nort'", 'policies']],
    ['an unknown user', '/ocra/request', { user: 'zoe', data: 'x' }, ['zoe']],
  ] as const)('%s is named', async (_name, path, parameters, parts) => {
    const message = messageOf((await application.asAdmin(path, parameters, 'get')).body);
    for (const part of parts) {
      expect(message).toContain(part);
    }
    expect(message).not.toMatch(/\n\s+at /);
  });

  it('a missing right is named with its scope', async () => {
    const answer = await bounded.get('clerk', '/admin/userlist', { realm: 'north' });
    expect(messageOf(answer.body)).toContain('scope=admin, action=userlist');
  });
});

describe('an address that cannot be used', () => {
  it.each([
    ['EADDRINUSE', 5001, 'another program listens there', 'PORT'],
    ['EACCES', 443, 'may not use the port', 'from 1024 on'],
    ['EADDRNOTAVAIL', 5001, 'no such address', 'Correct HOST'],
  ])('%s: port %i, the reason and the remedy', (code, port, reason, remedy) => {
    const { message } = addressUnavailable(Object.assign(new Error('x'), { code }), '127.0.0.1', port);
    expect(message).toContain(`127.0.0.1 port ${port}: `);
    expect(message).toContain(reason);
    expect(message).toContain(remedy);
  });
});
