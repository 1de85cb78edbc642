import { homePages } from '../home/pages.ts';
import { policyPages } from '../policies/pages.ts';
import { settingPages } from '../settings/pages.ts';
import type { ConsolePage } from './console-page.ts';

/** All pages of the console. In the navigation the order is that of groups, then that of this list. */
export const PAGES: readonly ConsolePage[] = [...homePages, ...policyPages, ...settingPages];
