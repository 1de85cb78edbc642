import { lazy } from 'react';
import type { Session } from '../session/session.tsx';
import type { ConsolePage } from '../shell/console-page.ts';

const search = lazy(() => import('./audit-page.tsx'));

export const auditPages: readonly ConsolePage[] = [
  {
    path: '/audit',
    title: { en: { title: 'Audit' }, de: { title: 'Audit' } },
    group: 'security',
    guide: 'auditing',
    isFor: (session) => session.may('admin', 'audit'),
    component: search,
  },
  {
    path: '/audit/subject/:subject',
    title: { en: { title: 'Audit' }, de: { title: 'Audit' } },
    guide: 'auditing',
    isFor: (session) => session.may('admin', 'audit'),
    component: search,
  },
  {
    path: '/audit/user/:user',
    title: { en: { title: 'Audit' }, de: { title: 'Audit' } },
    guide: 'auditing',
    isFor: (session) => session.may('admin', 'audit') && session.may('admin', 'show'),
    component: search,
  },
  {
    path: '/audit-verification',
    title: { en: { title: 'Verify the audit' }, de: { title: 'Audit prüfen' } },
    group: 'security',
    guide: 'auditing',
    isFor: seesWholeAudit,
    component: lazy(() => import('./verification-page.tsx')),
  },
];

/** @returns true for a right to the audit that is not bound to realms, as verification takes it */
function seesWholeAudit(session: Session): boolean {
  return session.mayEverywhere('admin', 'audit');
}
