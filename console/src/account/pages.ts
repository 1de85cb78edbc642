import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const accountPages: readonly ConsolePage[] = [
  {
    path: '/account',
    title: { en: { title: 'My account' }, de: { title: 'Mein Konto' } },
    group: 'account',
    guide: 'authentication',
    isFor: () => true,
    component: lazy(() => import('./account-page.tsx')),
  },
];
