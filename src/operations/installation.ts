import { HEALTH } from '../doctor/health-service.ts';
import { FIRST_STEPS, OVERVIEW } from '../monitoring/overview.ts';
import { operation, type OperationGroup } from './operation.ts';

const overview = operation({
  name: 'installation overview',
  does: 'the state of the installation at a glance; each part takes a right of its own',
  right: [],
  changes: false,
  input: {},
  output: OVERVIEW,
  run: (services, caller) => services.overview.read(caller),
});

const health = operation({
  name: 'installation health',
  does: 'findings of `tankeeper doctor` that a server can tell, the last backup, webhooks, resolvers, responses of 30 days and refused tokens; each part takes a right of its own',
  right: [['system:read', 'monitoring:metrics', 'admin:audit']],
  changes: false,
  input: {},
  output: HEALTH,
  run: (services, caller) => services.health.read(caller),
});

const firstSteps = operation({
  name: 'installation first-steps',
  does: 'what an installation needs before its first use, and what of it is done',
  right: 'system:read',
  changes: false,
  input: {},
  output: FIRST_STEPS,
  run: (services) => services.overview.firstSteps(),
});

export const INSTALLATION: OperationGroup = {
  name: 'installation',
  about: 'the state of the installation',
  operations: [overview, health, firstSteps],
};
