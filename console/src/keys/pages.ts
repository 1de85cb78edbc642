import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const keyPages: readonly ConsolePage[] = [
  {
    path: '/keys',
    title: { en: { title: 'Keys' }, de: { title: 'Schlüssel' } },
    group: 'system',
    guide: 'security-modules',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./keys-page.tsx')),
  },
];
