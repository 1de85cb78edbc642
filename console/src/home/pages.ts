import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const homePages: readonly ConsolePage[] = [
  {
    path: '/',
    title: { en: { title: 'Start' }, de: { title: 'Start' } },
    group: 'overview',
    isFor: () => true,
    component: lazy(() => import('./home-page.tsx')),
  },
];
