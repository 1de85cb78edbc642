import type { DemoRequest } from './curl-line.ts';
import type { DemoGuide } from './demo-guide.ts';
import type { DemoPlan } from './demo-plan.ts';
import { expectedActiveUserRows, expectedTokenRows, expectedUserRows } from './plan-counts.ts';

/** Asks all six questions of monitoring. @param plan what there is by now */
export async function tourMonitoring(guide: DemoGuide, plan: DemoPlan): Promise<void> {
  const statuses = ['assigned', 'unassigned&inactive'];
  guide.step('Monitoring: tokens by realm and status');
  await guide.ask(monitoring('tokens', { status: statuses.join(',') }), {
    result: { status: true, head: [], data: expectedTokenRows(plan, statuses) },
  });
  guide.step('Monitoring: users by realm and resolver');
  await guide.ask(monitoring('userinfo'), {
    result: { status: true, head: [], data: expectedUserRows(plan) },
  });
  guide.step('Monitoring: users who own an active token');
  await guide.ask(monitoring('activeUsers'), {
    result: { status: true, head: [], data: expectedActiveUserRows(plan) },
  });
  guide.step('Monitoring: is the configuration in step with the database?');
  await guide.ask(monitoring('config'), { result: { status: true, value: { sync: 'True' } } });
  guide.step('Monitoring: support');
  await guide.ask(monitoring('license'), {
    result: { status: true, value: { support: 'community support' } },
  });
  guide.step('Monitoring: are secrets encrypted before they are stored?');
  await guide.ask(monitoring('storageEncryption'), { result: { status: true, value: true } });
}

function monitoring(name: string, parameters: Readonly<Record<string, string>> = {}): DemoRequest {
  return { method: 'GET', path: `/monitoring/${name}`, parameters, asAdministrator: true };
}
