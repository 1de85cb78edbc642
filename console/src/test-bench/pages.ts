import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const testBenchPages: readonly ConsolePage[] = [
  {
    path: '/test-bench',
    title: { en: { title: 'Test bench' }, de: { title: 'Prüfstand' } },
    group: 'system',
    isFor: (session) => session.may('ocra', 'request'),
    component: lazy(() => import('./test-bench-page.tsx')),
  },
];
