import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';
import { overviewTexts } from './overview-texts.ts';

export const overviewPages: readonly ConsolePage[] = [
  {
    path: '/',
    title: overviewTexts,
    group: 'overview',
    isFor: ({ rights }) =>
      rights.some(({ scope, action }) => scope === 'monitoring' || (scope === 'system' && action === 'read')),
    component: lazy(() => import('./overview-page.tsx')),
  },
];
