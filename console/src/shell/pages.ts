import { accountPages } from '../account/pages.ts';
import { administratorPages } from '../administrators/pages.ts';
import { auditPages } from '../audit/pages.ts';
import { healthPages } from '../health/pages.ts';
import { helpdeskPages } from '../helpdesk/pages.ts';
import { keyPages } from '../keys/pages.ts';
import { overviewPages } from '../overview/pages.ts';
import { policyPages } from '../policies/pages.ts';
import { realmPages } from '../realms/pages.ts';
import { resolverPages } from '../resolvers/pages.ts';
import { settingPages } from '../settings/pages.ts';
import { webhookPages } from '../webhooks/pages.ts';
import type { ConsolePage } from './console-page.ts';

/** All pages of the console. In the navigation the order is that of groups, then that of this list. */
export const PAGES: readonly ConsolePage[] = [
  ...overviewPages,
  ...healthPages,
  ...helpdeskPages,
  ...policyPages,
  ...auditPages,
  ...realmPages,
  ...resolverPages,
  ...settingPages,
  ...keyPages,
  ...webhookPages,
  ...administratorPages,
  ...accountPages,
];
