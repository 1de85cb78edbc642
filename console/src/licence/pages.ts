import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const licencePages: readonly ConsolePage[] = [
  {
    path: '/licence',
    title: { en: { title: 'Licence' }, de: { title: 'Lizenz' } },
    group: 'system',
    guide: 'operating',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./licence-page.tsx')),
  },
];
