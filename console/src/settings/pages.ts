import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const settingPages: readonly ConsolePage[] = [
  {
    path: '/settings',
    title: { en: { title: 'Settings' }, de: { title: 'Einstellungen' } },
    group: 'system',
    guide: 'administration',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./settings-page.tsx')),
  },
];
