import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const realmPages: readonly ConsolePage[] = [
  {
    path: '/realms',
    title: { en: { title: 'Realms' }, de: { title: 'Realms' } },
    group: 'system',
    guide: 'administration',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./realms-page.tsx')),
  },
];
