import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { commandsPage } from './command-reference.ts';
import { configurationPage, environmentExample } from './configuration-reference.ts';
import { metricsPage } from './metrics-reference.ts';
import { policyActionsPage } from './policy-reference.ts';
import { recordedDifferencesPage } from './recorded-differences.ts';
import { settingsPage } from './setting-reference.ts';

/** `npm run docs:reference`: writes the pages that derive from declarations. Tests hold the pages to them. */

const ROOT = join(import.meta.dirname, '..');

write('.env.example', environmentExample());
write('docs/reference/commands.md', commandsPage());
write('docs/reference/configuration.md', configurationPage());
write('docs/reference/metrics.md', metricsPage());
write('docs/reference/policy-actions.md', policyActionsPage());
write('docs/reference/recorded-differences.md', recordedDifferencesPage());
write('docs/reference/settings.md', settingsPage());

function write(path: string, text: string): void {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
