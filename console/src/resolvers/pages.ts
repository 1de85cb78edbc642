import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const resolverPages: readonly ConsolePage[] = [
  {
    path: '/resolvers',
    title: { en: { title: 'Resolvers' }, de: { title: 'Resolver' } },
    group: 'system',
    guide: 'resolvers',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./resolvers-page.tsx')),
  },
  {
    path: '/resolvers/:name',
    title: { en: { title: 'Resolver' }, de: { title: 'Resolver' } },
    guide: 'resolvers',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./resolver-page.tsx')),
  },
  {
    path: '/new-resolver',
    title: { en: { title: 'New resolver' }, de: { title: 'Neuer Resolver' } },
    guide: 'resolvers',
    isFor: (session) => session.may('system', 'write') && session.may('system', 'read'),
    component: lazy(() => import('./new-resolver-page.tsx')),
  },
];
