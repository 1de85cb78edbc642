import { accountPages } from '../account/pages.ts';
import { administratorPages } from '../administrators/pages.ts';
import { homePages } from '../home/pages.ts';
import type { ConsolePage } from './console-page.ts';

/** All pages of the console. In the navigation the order is that of groups, then that of this list. */
export const PAGES: readonly ConsolePage[] = [...homePages, ...accountPages, ...administratorPages];
