import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const healthPages: readonly ConsolePage[] = [
  {
    path: '/health',
    title: { en: { title: 'Health' }, de: { title: 'Zustand' } },
    group: 'overview',
    guide: 'operating',
    isFor: (session) =>
      session.mayEverywhere('system', 'read') ||
      session.mayEverywhere('monitoring', 'metrics') ||
      session.may('admin', 'audit'),
    component: lazy(() => import('./health-page.tsx')),
  },
];
