import type { DemoRequest } from './demo-request.ts';
import type { DemoGuide } from './demo-guide.ts';
import type { DemoPlan, PlannedToken } from './demo-plan.ts';

/** A row of a monitoring answer. */
export type CountRow = readonly [string, string, number];

const STATUSES: Readonly<Record<string, (token: PlannedToken) => boolean>> = {
  assigned: ({ owner }) => owner !== null,
  unassigned: ({ owner }) => owner === null,
  active: ({ active }) => active,
  inactive: ({ active }) => !active,
};

/**
 * Requests all six reports of monitoring. The expected rows are counted from the plan, not by the server's code.
 * @param plan the content of the database
 */
export async function tourMonitoring(guide: DemoGuide, plan: DemoPlan): Promise<void> {
  const statuses = ['assigned', 'unassigned&inactive'];
  guide.step('Monitoring: tokens by realm and status');
  await guide.ask(monitoringRequest('tokens', { status: statuses.join(',') }), {
    result: { status: true, head: [], data: expectedTokenRows(plan, statuses) },
  });
  guide.step('Monitoring: users by realm and resolver');
  await guide.ask(monitoringRequest('userinfo'), {
    result: { status: true, head: [], data: expectedUserRows(plan) },
  });
  guide.step('Monitoring: users who own an active token');
  await guide.ask(monitoringRequest('activeUsers'), {
    result: { status: true, head: [], data: expectedActiveUserRows(plan) },
  });
  guide.step('Monitoring: is the configuration in step with the database?');
  await guide.ask(monitoringRequest('config'), { result: { status: true, value: { sync: 'True' } } });
  guide.step('Monitoring: support');
  await guide.ask(monitoringRequest('license'), {
    result: { status: true, value: { support: 'community support' } },
  });
  guide.step('Monitoring: are secrets encrypted before they are stored?');
  await guide.ask(monitoringRequest('storageEncryption'), { result: { status: true, value: true } });
}

function monitoringRequest(name: string, parameters: Readonly<Record<string, string>> = {}): DemoRequest {
  return { method: 'GET', path: `/monitoring/${name}`, parameters, asAdministrator: true };
}

/**
 * @param statuses as the request names them, `unassigned&inactive` for both at once
 * @returns rows of /monitoring/tokens
 */
export function expectedTokenRows({ realms, tokens }: DemoPlan, statuses: readonly string[]): CountRow[] {
  const names = realms.map(({ name }) => name);
  const groups = [
    ...names.map((name): [string, PlannedToken[]] => [
      name,
      tokens.filter((token) => token.realms.includes(name)),
    ]),
    ['Summary', tokens.filter((token) => token.realms.some((realm) => names.includes(realm)))] as const,
  ];
  return groups.flatMap(([name, group]): CountRow[] => [
    [name, 'total', group.length],
    [name, 'total users', activeOwners(group).size],
    ...statuses.map((status): CountRow => [
      name,
      status,
      group.filter((token) => hasStatus(token, status)).length,
    ]),
  ]);
}

/** @returns rows of /monitoring/userinfo */
export function expectedUserRows({ realms }: DemoPlan): CountRow[] {
  return realms.map(({ name, resolver, logins }) => [name, resolver, logins.length]);
}

/** @returns rows of /monitoring/activeUsers */
export function expectedActiveUserRows({ realms, tokens }: DemoPlan): CountRow[] {
  const rows = realms.map(({ name, resolver, logins }): CountRow => {
    const owners = activeOwners(tokens.filter((token) => token.realms.includes(name)));
    return [name, resolver, logins.filter((login) => owners.has(login)).length];
  });
  return [...rows, ['Total', '', activeOwners(tokens.filter((token) => token.realms.length > 0)).size]];
}

/** Logins are unique over both resolvers of the plan. */
function activeOwners(tokens: readonly PlannedToken[]): ReadonlySet<string> {
  return new Set(tokens.flatMap(({ active, owner }) => (active && owner !== null ? [owner.login] : [])));
}

function hasStatus(token: PlannedToken, status: string): boolean {
  return status.split('&').every((name) => STATUSES[name]?.(token) === true);
}
