import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const administratorPages: readonly ConsolePage[] = [
  {
    path: '/administrators',
    title: { en: { title: 'Administrators' }, de: { title: 'Administratoren' } },
    group: 'account',
    guide: 'authentication',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./administrators-page.tsx')),
  },
  {
    path: '/administrators/:name',
    title: { en: { title: 'Administrator' }, de: { title: 'Administrator' } },
    guide: 'authentication',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./administrator-page.tsx')),
  },
  {
    path: '/sessions',
    title: { en: { title: 'Sessions' }, de: { title: 'Sitzungen' } },
    group: 'account',
    guide: 'authentication',
    isFor: (session) => session.mayEverywhere('admin', 'sessions'),
    component: lazy(() => import('./sessions-page.tsx')),
  },
];
